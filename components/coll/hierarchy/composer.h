// SPDX-License-Identifier: BSD-3-Clause
// Putting an operation together from operations of teams: Composer.
#pragma once
//
// Contract. Made for one emission by one process. Each inner operation is carried out by whatever
// lies below the module and knows the way for its size and its processes; operations between
// systems go directly from each to each, so that no byte crosses a slow link twice. An inner
// operation begins after the step `after`; what is returned is the step after which it is done.
// status() tells of the first failure; once there is one, nothing is emitted.
//
#include "octets.h"
#include "tree.h"

namespace tessera::coll::hierarchy {

class Composer {
 public:
  Composer(const Call& call, Schedule& schedule, const Tree& tree, const Displaced& below) noexcept
      : call_(call), schedule_(schedule), tree_(tree), below_(below) {}

  const Call& call() const noexcept { return call_; }
  Schedule& schedule() noexcept { return schedule_; }
  const Tree& tree() const noexcept { return tree_; }
  int position() const noexcept { return tree_.position_of(call_.rank); }
  Status status() const noexcept { return status_.ok() ? schedule_.status() : status_; }

  // The team of this process at a stage, under a lead; it takes part.
  Team team(int stage, const Lead& lead) const { return tree_.team(stage, position(), lead); }

  // An inner call without data, from the view of this process.
  Call inner(Operation operation, const Team& team) const noexcept;
  // Its memories begin at `send` and `receive`.
  StepId emit(const Call& inner, const Team& team, const Buffer& send, const Buffer& receive,
              StepId after);

  // A step after both; kNoStep counts for nothing.
  StepId both(StepId a, StepId b) noexcept;

  // `data` of the root to all.
  StepId bcast(const Team& team, const Buffer& data, StepId after);
  // The values of all to the root, into `result` there; the root's value may be there already.
  StepId reduce(const Team& team, const Buffer& value, const Buffer& result, StepId after);
  // To all; a value may be in the place of the result already.
  StepId allreduce(const Team& team, const Buffer& value, const Buffer& result, StepId after);
  // Receives from each other leader what belongs to the result, and combines it with the own value.
  // The result is written after `sent`: the value may lie there. The same bits at all who do this.
  StepId fold(const Team& team, const Buffer& value, const Buffer& result, StepId after,
              StepId sent);

 private:
  StepId bcast_directly(const Team& team, const Buffer& data, StepId after);
  StepId reduce_directly(const Team& team, const Buffer& value, const Buffer& result, StepId after);
  StepId allreduce_directly(const Team& team, const Buffer& value, const Buffer& result,
                            StepId after);

  const Call& call_;
  Schedule& schedule_;
  const Tree& tree_;
  const Displaced& below_;
  Status status_;
};

// The whole data of a call with one count, and what a process gives to a reduction.
inline Buffer data_of(Space space, const Side& side) noexcept {
  return {space, 0, side.count, side.type};
}
inline Buffer contribution(const Call& call, Count count) noexcept {
  return {call.in_place ? Space::receive : Space::send, 0, count, call.receive.type};
}
inline bool same(const Buffer& a, const Buffer& b) noexcept {
  return a.space == b.space && a.offset == b.offset;
}

}  // namespace tessera::coll::hierarchy
