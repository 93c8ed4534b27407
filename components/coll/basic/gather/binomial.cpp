// SPDX-License-Identifier: BSD-3-Clause
// Gather along a tree of k-nomials; inner processes pack what their subtree contributes. `radix` is k; 2 is the
// binomial tree.
// Cost for blocks of n bytes: ceil(log_k p) rounds of k - 1 messages side by side; n (p - 1) / bandwidth at the
// root.
#include <algorithm>

#include "algorithms.h"
#include "streams.h"

namespace tessera::coll::basic {

namespace {

void from_subtree(const Call& call, Schedule& schedule, const TreeNode& node) noexcept {
  const Buffer own = whole(Space::send, call.send);
  const int parent = rank_of(call, node.parent);
  if (node.held == 1) {
    schedule.send(parent, own);
    return;
  }
  const Count each = own.bytes();
  const Buffer packed = schedule.scratch(node.held * each, nullptr);
  const StepId complete = join(schedule, {schedule.copy(own, packed.part(0, each))});
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
    const Buffer part = packed.part((child->number - node.number) * each, child->held * each);
    schedule.order(schedule.recv(rank_of(call, child->number), part), complete);
  }
  schedule.send(parent, packed, {complete});
}

// Blocks of consecutive ranks are received where they belong; where the ranks wrap around, by way of scratch memory.
void from_child(const Call& call, Schedule& schedule, const TreeNode::Child& child) noexcept {
  const Buffer all{Space::receive, 0, call.size * call.receive.count, call.receive.type};
  const Count each = call.receive.count;
  const int first = rank_of(call, child.number);
  const int before_end = std::min(child.held, call.size - first);
  if (before_end == child.held) {
    schedule.recv(first, all.part(first * each, child.held * each));
    return;
  }
  const Buffer packed = schedule.scratch(all.part(0, child.held * each).bytes(), nullptr);
  const Count split = all.part(0, before_end * each).bytes();
  const StepId got = schedule.recv(first, packed);
  schedule.copy(packed.part(0, split), all.part(first * each, before_end * each), {got});
  schedule.copy(packed.part(split, packed.count - split), all.part(0, (child.held - before_end) * each),
                {got});
}

void gather_on(const Call& call, int radix, Schedule& schedule) {
  const TreeNode node = knomial_node(number_of(call), call.size, radix);
  if (!node.is_root()) {
    from_subtree(call, schedule, node);
    return;
  }
  if (!call.in_place) schedule.copy(whole(Space::send, call.send), block(call, Space::receive, call.root));
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    from_child(call, schedule, *child);
}

}  // namespace

static void gather_binomial(const Call& call, Schedule& schedule) {
  gather_on(call, 2, schedule);
}

static void gather_knomial(const Call& call, const Knobs& knobs, Schedule& schedule) {
  gather_on(call, knobs.radix, schedule);
}

const Algorithm registered_gather_binomial{Operation::gather, "binomial", gather_binomial};
const Algorithm registered_gather_knomial{
    Operation::gather, "knomial", gather_knomial, kAlways, {.radix = 4}};

}  // namespace tessera::coll::basic
