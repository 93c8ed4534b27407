// SPDX-License-Identifier: BSD-3-Clause
// Scatter along a tree of k-nomials; inner processes pass on what their subtree is to get. `radix` is k; 2 is the
// binomial tree.
// Cost for blocks of n bytes: ceil(log_k p) rounds of k - 1 messages; n (p - 1) / bandwidth at the root.
#include <algorithm>

#include "algorithms.h"
#include "streams.h"

namespace tessera::coll::basic {

namespace {

void in_subtree(const Call& call, Schedule& schedule, const TreeNode& node) noexcept {
  const Buffer own = result(call);
  const int parent = rank_of(call, node.parent);
  if (node.held == 1) {
    schedule.recv(parent, own);
    return;
  }
  const Count each = own.bytes();
  const Buffer packed = schedule.scratch(node.held * each, nullptr);
  const StepId got = schedule.recv(parent, packed);
  for (const TreeNode::Child& child : node.children) {
    const Buffer part = packed.part((child.number - node.number) * each, child.held * each);
    schedule.send(rank_of(call, child.number), part, {got});
  }
  schedule.copy(packed.part(0, each), own, {got});
}

// Blocks of consecutive ranks are sent from where they are; where the ranks wrap around, by way of scratch memory.
void to_child(const Call& call, Schedule& schedule, const TreeNode::Child& child) noexcept {
  const Buffer all{Space::send, 0, call.size * call.send.count, call.send.type};
  const Count each = call.send.count;
  const int first = rank_of(call, child.number);
  const int before_end = std::min(child.held, call.size - first);
  if (before_end == child.held) {
    schedule.send(first, all.part(first * each, child.held * each));
    return;
  }
  const Buffer packed = schedule.scratch(all.part(0, child.held * each).bytes(), nullptr);
  const Count split = all.part(0, before_end * each).bytes();
  const StepId front = schedule.copy(all.part(first * each, before_end * each), packed.part(0, split));
  const StepId back =
      schedule.copy(all.part(0, (child.held - before_end) * each), packed.part(split, packed.count - split));
  schedule.send(first, packed, {front, back});
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

static void scatter_knomial(const Call& call, const Knobs& knobs, Schedule& schedule) {
  scatter_on(call, knobs.radix, schedule);
}

const Algorithm registered_scatter_binomial{Operation::scatter, "binomial", scatter_binomial};
const Algorithm registered_scatter_knomial{
    Operation::scatter, "knomial", scatter_knomial, kAlways, {.radix = 4}};

}  // namespace tessera::coll::basic
