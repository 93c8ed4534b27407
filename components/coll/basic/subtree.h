// SPDX-License-Identifier: BSD-3-Clause
// Where a process stands in a binomial tree whose subtrees are consecutive ranks, counted from the root.
#pragma once

#include <algorithm>

#include "blocks.h"

namespace tessera::coll::basic {

class Subtree {
 public:
  Subtree(int rank, int root, int size) noexcept : me_(modulo(rank - root, size)), root_(root), size_(size) {}

  int held() const noexcept { return held_by(me_); }  // processes in the subtree, this one included
  int parent() const noexcept { return modulo(me_ - (me_ & -me_) + root_, size_); }

  // The child that differs in `bit` (a power of two), for ascending bits until there is none.
  bool child(int bit) const noexcept { return bit < held(); }
  int child_rank(int bit) const noexcept { return modulo(me_ + bit + root_, size_); }
  int held_by_child(int bit) const noexcept { return held_by(me_ + bit); }

 private:
  int held_by(int v) const noexcept { return v == 0 ? size_ : std::min(v & -v, size_ - v); }
  int me_;
  int root_;
  int size_;
};

}  // namespace tessera::coll::basic
