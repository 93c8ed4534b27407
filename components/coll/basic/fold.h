// SPDX-License-Identifier: BSD-3-Clause
// Reducing the number of processes to a power of two: each of the first pairs works as one process.
#pragma once

#include "blocks.h"

namespace tessera::coll::basic {

// Of p processes, p - 2^k pairs (0,1), (2,3), ... are represented by their odd member. The
// representatives are numbered in the order of ranks, so that neighbours in number stand for
// neighbouring groups of ranks.
class Fold {
 public:
  Fold(int rank, int size) noexcept : rank_(rank), size_(power_below(size)), pairs_(size - size_) {}

  int size() const noexcept { return size_; }  // the power of two
  bool paired() const noexcept { return rank_ < 2 * pairs_; }
  bool idle() const noexcept { return paired() && rank_ % 2 == 0; }  // the partner works for it
  int partner() const noexcept { return rank_ ^ 1; }
  int number() const noexcept { return paired() ? rank_ / 2 : rank_ - pairs_; }
  int rank_of(int number) const noexcept {
    return number < pairs_ ? 2 * number + 1 : number + pairs_;
  }
  // The first rank that `number` stands for; size() gives the end.
  int first_rank(int number) const noexcept {
    return number < pairs_ ? 2 * number : number + pairs_;
  }

 private:
  int rank_;
  int size_;
  int pairs_;
};

}  // namespace tessera::coll::basic
