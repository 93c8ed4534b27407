// SPDX-License-Identifier: BSD-3-Clause
// The blocks of an allgather(v) in the order of ranks, one behind the other: BlockRow.
#pragma once

#include <vector>

#include "blocks.h"

namespace tessera::coll::basic {

// Where the receive buffer has its blocks in that order without gaps, it is the row itself; else
// the row is scratch memory, from which the blocks are copied at the end. Processes need not agree
// on that: the bytes of consecutive blocks are the same.
class BlockRow {
 public:
  // May throw std::bad_alloc.
  BlockRow(const Call& call, Schedule& schedule);

  // The blocks of ranks [first, end).
  Buffer of(int first, int end) const noexcept {
    return row_.part(begin(first), begin(end) - begin(first));
  }
  // Where the block of each rank begins, in elements of the row; the last number is the end.
  const std::vector<Count>& begins() const noexcept { return begin_; }
  // Puts the own block where it belongs in the row. The step after which it is there.
  StepId own() noexcept;
  // All blocks are in the row after step `complete`, and are to come to their places.
  void finish(StepId complete) noexcept;

 private:
  bool ordered() const noexcept;
  Count begin(int rank) const noexcept { return begin_[static_cast<std::size_t>(rank)]; }

  const Call& call_;
  Schedule& schedule_;
  bool direct_;
  std::vector<Count> begin_;
  Buffer row_;
};

}  // namespace tessera::coll::basic
