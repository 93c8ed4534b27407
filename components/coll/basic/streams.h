// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts in which each process passes on what it gets, segment by segment.
#pragma once

#include <span>
#include <vector>

#include "byte_row.h"
#include "segments.h"
#include "tree_nodes.h"

namespace tessera::coll::basic {

// A range of a row of bytes and its way through this process.
struct Stream {
  Count begin, end;
  int from;             // rank, or kProcNull: it is here
  std::vector<int> to;  // ranks
};

// Moves every stream in `segments` segments, in turn one of each. The processes at both ends name
// the same number.
void move_streams(Schedule& schedule, ByteRow& row, std::span<const Stream> streams,
                  int segments) noexcept;

// Broadcast along a tree whose numbers count ranks from the root. Data that is not cut moves in its
// own type, without intermediate copies. May throw std::bad_alloc.
void bcast_along(const Call& call, Schedule& schedule, const TreeNode& node, Count segment);

// The same along the tree of split_node().
void bcast_along_split(const Call& call, Schedule& schedule, int top, int below, Count segment);

// The rank of a process counted from the root, and back.
inline int rank_of(const Call& call, int number) noexcept {
  return modulo(number + call.root, call.size);
}
inline int number_of(const Call& call) noexcept {
  return modulo(call.rank - call.root, call.size);
}

}  // namespace tessera::coll::basic
