// SPDX-License-Identifier: BSD-3-Clause
// Gather along a tree of k-nomials; inner processes pack what their subtree contributes. `radix` is
// k; 2 is the binomial tree. Cost for blocks of n bytes: ceil(log_k p) rounds of k - 1 messages
// side by side; n (p - 1) / bandwidth at the root.
#include "algorithms.h"
#include "subtree_blocks.h"

namespace tessera::coll::basic {

namespace {

void from_subtree(const Call& call, Schedule& schedule, const TreeNode& node) noexcept {
  const Buffer own = whole(Space::send, call.send);
  const int parent = rank_of(call, node.parent);
  if (node.held == 1) {
    schedule.send(parent, own);
    return;
  }
  const PackedBlocks packed(schedule, node, own.bytes());
  const StepId complete = join(schedule, {schedule.copy(own, packed.own())});
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    schedule.order(schedule.recv(rank_of(call, child->number), packed.of(*child)), complete);
  schedule.send(parent, packed.all(), {complete});
}

// Blocks are received where they belong; where the ranks wrap around, by way of scratch memory.
void from_child(const Call& call, Schedule& schedule, const TreeNode::Child& child) noexcept {
  const BlocksAtRoot blocks(call, Space::receive, child);
  if (!blocks.wraps) {
    schedule.recv(blocks.rank, blocks.front);
    return;
  }
  const Buffer packed = blocks.packed(schedule);
  const StepId got = schedule.recv(blocks.rank, packed);
  schedule.copy(blocks.front_of(packed), blocks.front, {got});
  schedule.copy(blocks.back_of(packed), blocks.back, {got});
}

void gather_on(const Call& call, int radix, Schedule& schedule) {
  const TreeNode node = knomial_node(number_of(call), call.size, radix);
  if (!node.is_root()) {
    from_subtree(call, schedule, node);
    return;
  }
  if (!call.in_place)
    schedule.copy(whole(Space::send, call.send), block(call, Space::receive, call.root));
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    from_child(call, schedule, *child);
}

}  // namespace

static void gather_binomial(const Call& call, Schedule& schedule) {
  gather_on(call, 2, schedule);
}

static void gather_knomial(const Call& call, const Tuning& tuning, Schedule& schedule) {
  gather_on(call, tuning.radix, schedule);
}

const Algorithm registered_gather_binomial{Operation::gather, "binomial", gather_binomial};
const Algorithm registered_gather_knomial{
    Operation::gather, "knomial", gather_knomial, kAlways, {.radix = 4}};

}  // namespace tessera::coll::basic
