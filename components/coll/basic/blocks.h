// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms have in common: who takes part (Team), and where a rank's part of the data
// lies.
#pragma once

#include "tessera/coll.h"

namespace tessera::coll::basic {

// Some processes of a call, numbered from 0; number i is rank offset + i in schedules.
struct Team {
  int rank;
  int size;
  int offset;
  int to(int i) const noexcept { return offset + i; }
};

// All processes of an intracommunicator.
inline Team everybody(const Call& call) noexcept {
  return {call.rank, call.size, 0};
}
// This side of an intercommunicator.
inline Team own_side(const Call& call) noexcept {
  return {call.rank, call.size, call.remote_size};
}

// The whole of one side's data, for arguments of one count.
inline Buffer whole(Space space, const Side& side) noexcept {
  return {space, 0, side.count, side.type};
}

// The part of one side's data that concerns rank or neighbour i.
Buffer block(const Call& call, Space space, int i) noexcept;

// What this process contributes to an allgather(v).
inline Buffer own_block(const Call& call) noexcept {
  return call.in_place ? block(call, Space::receive, call.rank) : whole(Space::send, call.send);
}

// What this process contributes to a reduction, and where the result goes.
inline Buffer contribution(const Call& call, Count count) noexcept {
  return {call.in_place ? Space::receive : Space::send, 0, count, call.receive.type};
}
inline Buffer contribution(const Call& call) noexcept {
  return contribution(call, call.receive.count);
}
inline Buffer result(const Call& call) noexcept {
  return whole(Space::receive, call.receive);
}

// Allreduce of a process whose partner works for both.
inline void lend_to(const Call& call, Schedule& schedule, int partner) noexcept {
  const StepId sent = schedule.send(partner, contribution(call));
  schedule.recv(partner, result(call), {sent});
}

inline Buffer as_bytes(Space space, Aint offset, Count bytes) noexcept {
  return {space, offset, bytes, nullptr};
}

// Where piece i begins when `count` elements are cut into `pieces` pieces as equal as can be; i =
// pieces gives the end.
inline Count cut(Count count, int pieces, int i) noexcept {
  const Count each = count / pieces;
  const Count more = count % pieces;
  return i * each + (i < more ? i : more);
}
inline Buffer piece(const Buffer& data, int pieces, int i) noexcept {
  const Count first = cut(data.count, pieces, i);
  return data.part(first, cut(data.count, pieces, i + 1) - first);
}

inline int modulo(int i, int n) noexcept {
  return i >= n ? i - n : (i < 0 ? i + n : i);
}  // for -n <= i < 2n

// The largest power of two that is not above n >= 1.
constexpr int power_below(int n) noexcept {
  int power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

// A step that does nothing but wait for others; further ones are added with Schedule::order.
StepId join(Schedule& schedule, std::initializer_list<StepId> after = {}) noexcept;

// Steps of one kind to or from one rank, which must start in order.
class OrderedChain {
 public:
  explicit OrderedChain(Schedule& schedule) noexcept : schedule_(schedule) {}
  StepId operator()(StepId step) noexcept {
    schedule_.issue_in_order(last_, step);
    return last_ = step;
  }

 private:
  Schedule& schedule_;
  StepId last_ = kNoStep;
};

}  // namespace tessera::coll::basic
