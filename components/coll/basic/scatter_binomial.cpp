// SPDX-License-Identifier: BSD-3-Clause
// Scatter along a binomial tree; inner processes pass on what their subtree is to get.
// Cost for blocks of n bytes: ceil(log2 p) latency + n (p - 1) / bandwidth at the root.
#include <algorithm>

#include "algorithms.h"
#include "subtree.h"

namespace tessera::coll::basic {

namespace {

void in_subtree(const Call& call, Schedule& schedule) noexcept {
  const Subtree tree(call.rank, call.root, call.size);
  const Buffer own = result(call);
  if (tree.held() == 1) {
    schedule.recv(tree.parent(), own);
    return;
  }
  const Count each = own.bytes();
  const Buffer packed = schedule.scratch(tree.held() * each, nullptr);
  const StepId got = schedule.recv(tree.parent(), packed);
  for (int bit = power_below(tree.held()); bit > 0; bit /= 2) {
    if (!tree.child(bit)) continue;
    schedule.send(tree.child_rank(bit), packed.part(bit * each, tree.held_by_child(bit) * each), {got});
  }
  schedule.copy(packed.part(0, each), own, {got});
}

// Blocks of consecutive ranks are sent from where they are; where the ranks wrap around, by way of scratch
// memory.
void at_root(const Call& call, Schedule& schedule) noexcept {
  const Subtree tree(call.rank, call.root, call.size);
  const Buffer all{Space::send, 0, call.size * call.send.count, call.send.type};
  const Count each = call.send.count;
  for (int bit = power_below(tree.held()); bit > 0; bit /= 2) {
    if (!tree.child(bit)) continue;
    const int first = tree.child_rank(bit);
    const int number = tree.held_by_child(bit);
    const int before_end = std::min(number, call.size - first);
    if (before_end == number) {
      schedule.send(first, all.part(first * each, number * each));
      continue;
    }
    const Buffer packed = schedule.scratch(all.part(0, number * each).bytes(), nullptr);
    const Count split = all.part(0, before_end * each).bytes();
    const StepId front = schedule.copy(all.part(first * each, before_end * each), packed.part(0, split));
    const StepId back =
        schedule.copy(all.part(0, (number - before_end) * each), packed.part(split, packed.count - split));
    schedule.send(first, packed, {front, back});
  }
  if (!call.in_place) schedule.copy(all.part(call.root * each, each), result(call));
}

}  // namespace

void scatter_binomial(const Call& call, Schedule& schedule) {
  if (call.rank == call.root) {
    at_root(call, schedule);
  } else {
    in_subtree(call, schedule);
  }
}

}  // namespace tessera::coll::basic
