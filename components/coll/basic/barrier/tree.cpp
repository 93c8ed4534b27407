// SPDX-License-Identifier: BSD-3-Clause
// Barrier along a tree of k-nomials: signals gather at rank 0 and spread from there. `radix` is k.
// Cost: 2 ceil(log_k p) messages deep with up to k - 1 side by side; 2 (p - 1) messages in all, the
// least possible.
#include "algorithms.h"
#include "blocks.h"
#include "tree_nodes.h"

namespace tessera::coll::basic {

static void barrier_tree(const Call& call, const Tuning& tuning, Schedule& schedule) {
  const TreeNode node = knomial_node(call.rank, call.size, tuning.radix);
  StepId go = join(schedule);
  for (const TreeNode::Child& child : node.children)
    schedule.order(schedule.recv(child.number, {}), go);
  if (!node.is_root()) go = schedule.recv(node.parent, {}, {schedule.send(node.parent, {}, {go})});
  for (const TreeNode::Child& child : node.children) schedule.send(child.number, {}, {go});
}

const Algorithm registered_barrier_tree{
    Operation::barrier, "tree", barrier_tree, kAlways, {.radix = 4}};

}  // namespace tessera::coll::basic
