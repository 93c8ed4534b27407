// SPDX-License-Identifier: BSD-3-Clause
// A partial result of a reduction on its way through the rounds of an algorithm: PartialReduction.
#pragma once
//
// Contract. The value starts as this process's contribution and is combined with what other
// processes send. A reduction writes its right operand, so the value moves between buffers rather
// than being copied: between the target and scratch memory, never into the user's send buffer.
// Order is kept for operations that do not commute. Combine with neighbouring groups of ranks only.
//
#include "blocks.h"

namespace tessera::coll::basic {

class PartialReduction {
 public:
  // `input` is read, and overwritten only if it is the target (in place). Without target the value
  // stays where it happens to be.
  PartialReduction(Schedule& schedule, bool commutative, const Buffer& input) noexcept;
  PartialReduction(Schedule& schedule, bool commutative, const Buffer& input,
                   const Buffer& target) noexcept;

  // Sends the value to `rank` and combines it with that process's one; `mine_first`: the own one is
  // the left operand. `last`: nothing will follow but finish().
  void exchange(int rank, bool mine_first, bool last) noexcept;
  // Only receives and combines.
  void absorb(int rank, bool mine_first, bool last) noexcept;
  // Only sends. The step.
  StepId send(int rank) noexcept;

  // Moves the value into the target, if it is not there yet. The step after which it is there.
  StepId finish() noexcept;

  const Buffer& value() const noexcept { return value_.buffer; }
  StepId ready() const noexcept { return ready_; }

 private:
  // A buffer, and the steps after which it may be written.
  struct Place {
    Buffer buffer;
    StepId users[2] = {kNoStep, kNoStep};
  };
  Place take() noexcept;
  void combine(int rank, bool mine_first, bool last, StepId sent) noexcept;
  void combine_into(const Place& theirs, StepId received, StepId sent) noexcept;
  void combine_here(const Place& theirs, StepId received, StepId sent) noexcept;
  void make_own() noexcept;
  bool at_target() const noexcept;

  Schedule& schedule_;
  Buffer target_;
  Place value_;
  Place free_;
  StepId ready_ = kNoStep;  // wrote the value
  bool commutative_;
  bool has_target_;
  bool own_;  // the value's place may be written
  bool has_free_;
};

}  // namespace tessera::coll::basic
