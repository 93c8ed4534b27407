// SPDX-License-Identifier: BSD-3-Clause
// A partial result of a reduction that meets those of several processes at a time:
// MultiwayReduction.
#pragma once
//
// Contract. Like PartialReduction, but a round has any number of partners, who are given in the
// order of ranks, and each of them may want another share of the value. Order is kept unless it may
// be any, in which case partial results move less. All processes that make the same share associate
// in the same way, so that they get the same bits, unless any order was allowed. What a round
// receives is written after everything of the rounds before is done.
//
#include <span>
#include <vector>

#include "blocks.h"

namespace tessera::coll::basic {

// Elements [first, first + count) of a value, which process `rank` is to combine.
struct Share {
  int rank;
  Count first;
  Count count;
};

// Functions may throw std::bad_alloc.
class MultiwayReduction {
 public:
  // `input` is read, and overwritten only if it is the target (in place). Both have the same count
  // and type. Without target the value stays where it happens to be.
  MultiwayReduction(Schedule& schedule, const Buffer& input, bool any_order) noexcept;
  MultiwayReduction(Schedule& schedule, const Buffer& input, const Buffer& target,
                    bool any_order) noexcept;

  // Sends every share but the own one, shares[position], to its process, and combines the own one
  // with what those processes send. The value shrinks to the own share.
  void exchange(std::span<const Share> shares, int position);
  // Everybody's share is the whole value.
  void exchange_whole(std::span<const int> ranks, int position);
  // Only receives and combines. `rank` stands for ranks that follow those of the value.
  void absorb(int rank);

  // Moves the value into its part of the target, if it is not there yet. The step after which it is
  // there and all is done.
  StepId finish() noexcept;

  const Buffer& value() const noexcept { return value_; }
  StepId ready() const noexcept { return ready_; }
  StepId settled() const noexcept { return settled_; }  // all is done

 private:
  struct Operand {
    Buffer place;
    StepId ready;
  };
  void combine(std::span<const Share> shares, int position, std::span<const StepId> sent);
  int choose(int position, int last) const noexcept;
  void make_own();
  std::vector<Operand> receive(std::span<const Share> shares, int position, int into);
  Buffer slot(Count count);

  Schedule& schedule_;
  Buffer target_;
  Buffer value_;
  Count begin_ = 0;  // of the value within the target
  StepId ready_ = kNoStep;
  StepId settled_ = kNoStep;  // everything so far
  bool any_order_;
  bool has_target_;
  bool at_target_;
  bool own_;                   // the value's place may be written
  std::vector<Buffer> slots_;  // scratch memory; needs decrease from round to round
  std::size_t next_slot_ = 0;
  std::size_t busy_ = ~std::size_t{0};  // the slot in which the value is
};

}  // namespace tessera::coll::basic
