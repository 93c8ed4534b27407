// SPDX-License-Identifier: BSD-3-Clause
// Scatter and scatterv by the root alone, which sends a block when its receiver has announced that
// it is there: nothing arrives that is not waited for, and a late process holds up no other. Cost:
// p - 1 messages each way at the root, two messages deep, no intermediate copies.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void scatter_linear_sync(const Call& call, Schedule& schedule) {
  if (call.rank != call.root) {
    if (result(call).bytes() == 0) return;
    const StepId posted = schedule.recv(call.root, result(call));
    schedule.issue_in_order(posted, schedule.send(call.root, {}));
    return;
  }
  if (!call.in_place) schedule.copy(block(call, Space::send, call.rank), result(call));
  for (int i = 1; i < call.size; ++i) {
    const int rank = modulo(call.root + i, call.size);
    const Buffer theirs = block(call, Space::send, rank);
    if (theirs.bytes() > 0) schedule.send(rank, theirs, {schedule.recv(rank, {})});
  }
}

const Algorithm registered_scatter_linear_sync{Operation::scatter, "linear_sync",
                                               scatter_linear_sync};
const Algorithm registered_scatterv_linear_sync{Operation::scatterv, "linear_sync",
                                                scatter_linear_sync};

}  // namespace tessera::coll::basic
