// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a subtree in gather and scatter along a tree: BlocksAtRoot, PackedBlocks.
#pragma once
//
// Contract. The processes of a subtree are consecutive numbers, and numbers count ranks from the
// root. So its blocks are one range of a packed row, and one range of the root's memory, or two
// where the ranks wrap around.
//
#include <algorithm>

#include "streams.h"

namespace tessera::coll::basic {

// Where the root's user has them.
class BlocksAtRoot {
 public:
  BlocksAtRoot(const Call& call, Space space, const TreeNode::Child& child) noexcept
      : rank(rank_of(call, child.number)), wraps(rank + child.held > call.size) {
    const Side& side = space == Space::send ? call.send : call.receive;
    const Buffer all{space, 0, call.size * side.count, side.type};
    const int before_end = std::min(child.held, call.size - rank);
    front = all.part(rank * side.count, before_end * side.count);
    back = all.part(0, (child.held - before_end) * side.count);
  }
  Buffer packed(Schedule& schedule) const noexcept {
    return schedule.scratch(front.bytes() + back.bytes(), nullptr);
  }
  Buffer front_of(const Buffer& packed) const noexcept { return packed.part(0, front.bytes()); }
  Buffer back_of(const Buffer& packed) const noexcept {
    return packed.part(front.bytes(), back.bytes());
  }

  int rank;  // of the root of the subtree
  bool wraps;
  Buffer front, back;
};

// Where an inner process has them: its own first, then those of its children.
class PackedBlocks {
 public:
  PackedBlocks(Schedule& schedule, const TreeNode& node, Count each) noexcept
      : first_(node.number), each_(each), all_(schedule.scratch(node.held * each, nullptr)) {}
  const Buffer& all() const noexcept { return all_; }
  Buffer own() const noexcept { return all_.part(0, each_); }
  Buffer of(const TreeNode::Child& child) const noexcept {
    return all_.part((child.number - first_) * each_, child.held * each_);
  }

 private:
  int first_;
  Count each_;
  Buffer all_;
};

}  // namespace tessera::coll::basic
