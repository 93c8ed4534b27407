// SPDX-License-Identifier: BSD-3-Clause
// Scatter along a tree of k-nomials; inner processes pass on what their subtree is to get. `radix`
// is k; 2 is the binomial tree. Cost for blocks of n bytes: ceil(log_k p) rounds of k - 1 messages;
// n (p - 1) / bandwidth at the root.
#include "algorithms.h"
#include "subtree_blocks.h"

namespace tessera::coll::basic {

namespace {

void in_subtree(const Call& call, Schedule& schedule, const TreeNode& node) noexcept {
  const Buffer own = result(call);
  const int parent = rank_of(call, node.parent);
  if (node.held == 1) {
    schedule.recv(parent, own);
    return;
  }
  const PackedBlocks packed(schedule, node, own.bytes());
  const StepId got = schedule.recv(parent, packed.all());
  for (const TreeNode::Child& child : node.children)
    schedule.send(rank_of(call, child.number), packed.of(child), {got});
  schedule.copy(packed.own(), own, {got});
}

// Blocks are sent from where they are; where the ranks wrap around, by way of scratch memory.
void to_child(const Call& call, Schedule& schedule, const TreeNode::Child& child) noexcept {
  const BlocksAtRoot blocks(call, Space::send, child);
  if (!blocks.wraps) {
    schedule.send(blocks.rank, blocks.front);
    return;
  }
  const Buffer packed = blocks.packed(schedule);
  const StepId front = schedule.copy(blocks.front, blocks.front_of(packed));
  const StepId back = schedule.copy(blocks.back, blocks.back_of(packed));
  schedule.send(blocks.rank, packed, {front, back});
}

void scatter_on(const Call& call, int radix, Schedule& schedule) {
  const TreeNode node = knomial_node(number_of(call), call.size, radix);
  if (!node.is_root()) {
    in_subtree(call, schedule, node);
    return;
  }
  for (const TreeNode::Child& child : node.children) to_child(call, schedule, child);
  if (!call.in_place) schedule.copy(block(call, Space::send, call.root), result(call));
}

}  // namespace

static void scatter_binomial(const Call& call, Schedule& schedule) {
  scatter_on(call, 2, schedule);
}

static void scatter_knomial(const Call& call, const Tuning& tuning, Schedule& schedule) {
  scatter_on(call, tuning.radix, schedule);
}

const Algorithm registered_scatter_binomial{Operation::scatter, "binomial", scatter_binomial};
const Algorithm registered_scatter_knomial{
    Operation::scatter, "knomial", scatter_knomial, kAlways, {.radix = 4}};

}  // namespace tessera::coll::basic
