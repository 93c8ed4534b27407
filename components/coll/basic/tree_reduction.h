// SPDX-License-Identifier: BSD-3-Clause
// Reductions along a tree, segment by segment.
#pragma once

#include "segments.h"
#include "tree_nodes.h"

namespace tessera::coll::basic {

// The rank that has number 0 in a tree with the root in front: the root itself, or, to keep the
// order of ranks, rank 0.
inline int front(const Call& call) noexcept {
  return call.op->commutative() ? call.root : 0;
}
inline int number_from(const Call& call, int front) noexcept {
  return modulo(call.rank - front, call.size);
}

// The reduction of `call` along the tree in which this process is `node`; number i is the rank i
// after `first`. Where the operation does not commute, `first` is 0 and contributions are taken in
// the order of numbers. If the root of the tree is not the root of the call, it passes each segment
// of the result on. May throw std::bad_alloc.
void reduce_along(const Call& call, Schedule& schedule, const TreeNode& node, int first,
                  Count segment);

}  // namespace tessera::coll::basic
