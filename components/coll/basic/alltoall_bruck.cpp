// SPDX-License-Identifier: BSD-3-Clause
// Alltoall of small blocks in ceil(log2 p) rounds: in round k, all blocks whose remaining way has bit k
// travel 2^k further.
// Cost for blocks of n bytes: ceil(log2 p) latency + n p log2 p / 2 / bandwidth, and every block is copied as
// often.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in
// multiport message-passing systems", IEEE TPDS 8(11), 1997.
#include <algorithm>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

class Bruck {
 public:
  Bruck(const Call& call, Schedule& schedule) noexcept
      : call_(call),
        schedule_(schedule),
        each_(block(call, Space::receive, 0).bytes()),
        way_(schedule.scratch(call.size * each_, nullptr)),
        out_(schedule.scratch((call.size + 1) / 2 * each_, nullptr)),
        in_(schedule.scratch((call.size + 1) / 2 * each_, nullptr)) {}

  // Position i of way_ holds the block that has i processes to go.
  void sort_by_way() noexcept {
    const Buffer all = whole_of(call_.in_place ? Space::receive : Space::send);
    const Count elements = all.count / call_.size;
    const int to_end = call_.size - call_.rank;
    round_ = join(schedule_);
    copy_run(all.part(call_.rank * elements, to_end * elements), way_.part(0, to_end * each_));
    if (call_.rank > 0)
      copy_run(all.part(0, call_.rank * elements), way_.part(to_end * each_, call_.rank * each_));
  }

  void travel(int distance) noexcept {
    const StepId packed = join(schedule_);
    const StepId unpacked = join(schedule_, {round_});
    const Count amount = pack(distance, packed);
    const StepId sent =
        schedule_.send(modulo(call_.rank + distance, call_.size), out_.part(0, amount), {packed, round_});
    const StepId got =
        schedule_.recv(modulo(call_.rank - distance, call_.size), in_.part(0, amount), {round_});
    unpack(distance, packed, got, unpacked);
    schedule_.order(sent, unpacked);
    round_ = unpacked;
  }

  // What has come i processes far is from rank - i.
  void sort_by_origin() noexcept {
    for (int i = 0; i < call_.size; ++i) {
      schedule_.copy(way_.part(i * each_, each_),
                     block(call_, Space::receive, modulo(call_.rank - i, call_.size)), {round_});
    }
  }

 private:
  Buffer whole_of(Space space) const noexcept {
    const Side& side = space == Space::send ? call_.send : call_.receive;
    return {space, 0, call_.size * side.count, side.type};
  }
  void copy_run(const Buffer& from, const Buffer& to) noexcept {
    schedule_.order(schedule_.copy(from, to), round_);
  }

  // Positions with bit `distance` set lie in runs [distance, 2 distance), [3 distance, 4 distance), ...
  template <class Act>
  Count each_run(int distance, Act act) noexcept {
    Count at = 0;
    for (int first = distance; first < call_.size; first += 2 * distance) {
      const Count length = std::min(distance, call_.size - first) * each_;
      act(way_.part(first * each_, length), at);
      at += length;
    }
    return at;
  }
  Count pack(int distance, StepId packed) noexcept {
    return each_run(distance, [&](const Buffer& run, Count at) {
      schedule_.order(schedule_.copy(run, out_.part(at, run.count), {round_}), packed);
    });
  }
  void unpack(int distance, StepId packed, StepId got, StepId unpacked) noexcept {
    each_run(distance, [&](const Buffer& run, Count at) {
      schedule_.order(schedule_.copy(in_.part(at, run.count), run, {got, packed}), unpacked);
    });
  }

  const Call& call_;
  Schedule& schedule_;
  Count each_;  // bytes of a block
  Buffer way_, out_, in_;
  StepId round_ = kNoStep;  // everything before the current round is done
};

}  // namespace

void alltoall_bruck(const Call& call, Schedule& schedule) {
  Bruck bruck(call, schedule);
  bruck.sort_by_way();
  for (int distance = 1; distance < call.size; distance *= 2) bruck.travel(distance);
  bruck.sort_by_origin();
}

}  // namespace tessera::coll::basic
