// SPDX-License-Identifier: BSD-3-Clause
// A partial result of a reduction on its way through the rounds of an algorithm.
#include "partial_reduction.h"

namespace tessera::coll::basic {

PartialReduction::PartialReduction(Schedule& schedule, bool commutative,
                                   const Buffer& input) noexcept
    : schedule_(schedule),
      value_{input},
      commutative_(commutative),
      has_target_(false),
      own_(false),
      has_free_(false) {}

PartialReduction::PartialReduction(Schedule& schedule, bool commutative, const Buffer& input,
                                   const Buffer& target) noexcept
    : schedule_(schedule),
      target_(target),
      value_{input},
      free_{target},
      commutative_(commutative),
      has_target_(true),
      own_(at_target()),
      has_free_(!own_) {}

bool PartialReduction::at_target() const noexcept {
  return has_target_ && value_.buffer.space == target_.space &&
         value_.buffer.offset == target_.offset;
}

PartialReduction::Place PartialReduction::take() noexcept {
  if (has_free_) {
    has_free_ = false;
    return free_;
  }
  return {schedule_.scratch(value_.buffer.count, value_.buffer.type)};
}

void PartialReduction::make_own() noexcept {
  if (own_) return;
  const Place place = take();
  ready_ = schedule_.copy(value_.buffer, place.buffer, {ready_, place.users[0], place.users[1]});
  value_ = {place.buffer};
  own_ = true;
}

StepId PartialReduction::send(int rank) noexcept {
  return schedule_.send(rank, value_.buffer, {ready_});
}

void PartialReduction::exchange(int rank, bool mine_first, bool last) noexcept {
  combine(rank, mine_first, last, send(rank));
}

void PartialReduction::absorb(int rank, bool mine_first, bool last) noexcept {
  combine(rank, mine_first, last, kNoStep);
}

void PartialReduction::combine(int rank, bool mine_first, bool last, StepId sent) noexcept {
  const bool stay = commutative_ ? last && at_target() : !mine_first;
  if (stay) make_own();
  const Place theirs = take();
  const StepId received = schedule_.recv(rank, theirs.buffer, {theirs.users[0], theirs.users[1]});
  if (stay) {
    combine_here(theirs, received, sent);
  } else {
    combine_into(theirs, received, sent);
  }
}

// theirs = mine op theirs. What was sent is only read, so the reduction need not wait for it to
// have left.
void PartialReduction::combine_into(const Place& theirs, StepId received, StepId sent) noexcept {
  const StepId reduced = schedule_.reduce(value_.buffer, theirs.buffer, {received, ready_});
  if (own_) {
    free_ = {value_.buffer, {sent, reduced}};
    has_free_ = true;
  }
  value_ = {theirs.buffer};
  own_ = true;
  ready_ = reduced;
}

// mine = theirs op mine.
void PartialReduction::combine_here(const Place& theirs, StepId received, StepId sent) noexcept {
  ready_ = schedule_.reduce(theirs.buffer, value_.buffer, {received, ready_, sent});
  free_ = {theirs.buffer, {ready_, kNoStep}};
  has_free_ = true;
}

StepId PartialReduction::finish() noexcept {
  if (!has_target_ || at_target()) return ready_;
  // The target is the free place: it was from the start, or the value has left it.
  return schedule_.copy(value_.buffer, target_, {ready_, free_.users[0], free_.users[1]});
}

}  // namespace tessera::coll::basic
