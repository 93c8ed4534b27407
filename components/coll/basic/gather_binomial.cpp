// SPDX-License-Identifier: BSD-3-Clause
// Gather along a binomial tree; inner processes pack what their subtree contributes.
// Cost for blocks of n bytes: ceil(log2 p) latency + n (p - 1) / bandwidth at the root.
#include <algorithm>

#include "algorithms.h"
#include "subtree.h"

namespace tessera::coll::basic {

namespace {

void from_subtree(const Call& call, Schedule& schedule) noexcept {
  const Subtree tree(call.rank, call.root, call.size);
  const Buffer own = whole(Space::send, call.send);
  if (tree.held() == 1) {
    schedule.send(tree.parent(), own);
    return;
  }
  const Count each = own.bytes();
  const Buffer packed = schedule.scratch(tree.held() * each, nullptr);
  const StepId complete = join(schedule, {schedule.copy(own, packed.part(0, each))});
  for (int bit = 1; tree.child(bit); bit *= 2) {
    const Buffer part = packed.part(bit * each, tree.held_by_child(bit) * each);
    schedule.order(schedule.recv(tree.child_rank(bit), part), complete);
  }
  schedule.send(tree.parent(), packed, {complete});
}

// Blocks of consecutive ranks are received where they belong; where the ranks wrap around, by way of scratch
// memory.
void at_root(const Call& call, Schedule& schedule) noexcept {
  const Subtree tree(call.rank, call.root, call.size);
  const Buffer all{Space::receive, 0, call.size * call.receive.count, call.receive.type};
  const Count each = call.receive.count;
  if (!call.in_place) schedule.copy(whole(Space::send, call.send), all.part(call.root * each, each));
  for (int bit = 1; tree.child(bit); bit *= 2) {
    const int first = tree.child_rank(bit);
    const int number = tree.held_by_child(bit);
    const int before_end = std::min(number, call.size - first);
    if (before_end == number) {
      schedule.recv(first, all.part(first * each, number * each));
      continue;
    }
    const Buffer packed = schedule.scratch(all.part(0, number * each).bytes(), nullptr);
    const Count split = all.part(0, before_end * each).bytes();
    const StepId got = schedule.recv(first, packed);
    schedule.copy(packed.part(0, split), all.part(first * each, before_end * each), {got});
    schedule.copy(packed.part(split, packed.count - split), all.part(0, (number - before_end) * each), {got});
  }
}

}  // namespace

void gather_binomial(const Call& call, Schedule& schedule) {
  if (call.rank == call.root) {
    at_root(call, schedule);
  } else {
    from_subtree(call, schedule);
  }
}

}  // namespace tessera::coll::basic
