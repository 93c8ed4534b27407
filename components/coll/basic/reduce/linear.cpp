// SPDX-License-Identifier: BSD-3-Clause
// Reduction by the root alone, which takes the contributions in the order of ranks from the last
// one down. Cost for n bytes: p - 1 messages and reductions of n at the root; scratch memory for
// one contribution.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

// The result grows from the right: result = contribution of rank i op result.
static void at_root(const Call& call, Schedule& schedule) noexcept {
  const Buffer into = result(call);
  Buffer own = contribution(call);
  StepId saved = kNoStep;
  if (call.in_place && call.size > 1 && call.root != call.size - 1) {
    own = schedule.scratch(into.count, into.type);
    saved = schedule.copy(into, own);
  }
  const int last = call.size - 1;
  StepId step = kNoStep;
  if (last != call.root) {
    step = schedule.recv(last, into, {saved});
  } else if (!call.in_place) {
    step = schedule.copy(own, into);
  }
  const Buffer theirs = call.size > 1 ? schedule.scratch(into.count, into.type) : Buffer{};
  for (int i = last - 1; i >= 0; --i) {
    if (i == call.root) {
      step = schedule.reduce(own, into, {step});
    } else {
      step = schedule.reduce(theirs, into, {schedule.recv(i, theirs, {step})});
    }
  }
}

}  // namespace

static void reduce_linear(const Call& call, Schedule& schedule) {
  if (call.rank == call.root) {
    at_root(call, schedule);
  } else {
    schedule.send(call.root, contribution(call));
  }
}

const Algorithm registered_reduce_linear{Operation::reduce, "linear", reduce_linear, kAlways,
                                         Combining::of_ranks};

}  // namespace tessera::coll::basic
