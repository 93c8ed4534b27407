// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block) as a reduction to rank 0, which keeps the order of ranks, and a scatter
// from there. Cost for n bytes in all: ceil(log2 p) (latency + n / bandwidth + n / reduction speed)
// + p - 1 messages of rank 0.
#include "algorithms.h"
#include "scatter_counts.h"
#include "trees.h"

namespace tessera::coll::basic {

static void reduce_scatter_ordered(const Call& call, Schedule& schedule) {
  const ScatterCounts counts(call);
  const Buffer input = contribution(call, counts.total());
  const Buffer mine = counts.result(call.rank);
  if (call.rank != 0) {
    const StepId given = reduce_on(schedule, everybody(call), 0, call.op->commutative(), input, {});
    if (mine.bytes() > 0) schedule.recv(0, mine, {given});
    return;
  }
  const Buffer sum = schedule.scratch(counts.total(), call.receive.type);
  const StepId reduced =
      reduce_on(schedule, everybody(call), 0, call.op->commutative(), input, sum);
  schedule.copy(counts.of(sum, 0), mine, {reduced});
  for (int i = 1; i < call.size; ++i) {
    if (counts.of(sum, i).bytes() > 0) schedule.send(i, counts.of(sum, i), {reduced});
  }
}

const Algorithm registered_reduce_scatter_ordered{Operation::reduce_scatter, "ordered",
                                                  reduce_scatter_ordered};
const Algorithm registered_reduce_scatter_block_ordered{Operation::reduce_scatter_block, "ordered",
                                                        reduce_scatter_ordered};

}  // namespace tessera::coll::basic
