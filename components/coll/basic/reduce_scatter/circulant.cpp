// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block) along the edges of a circulant graph. For operations that commute. Nothing
// is folded: as good for any number of processes as for a power of two. Cost for n bytes in all:
// ceil(log2 p) latency + n (p - 1) / p (1 / bandwidth + 1 / reduction speed). Source: Traeff,
// "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv:2410.14234, 2024.
#include "circulant.h"

#include "algorithms.h"
#include "scatter_counts.h"

namespace tessera::coll::basic {

static void reduce_scatter_circulant(const Call& call, Schedule& schedule) {
  const ScatterCounts counts(call);
  const Buffer input = contribution(call, counts.total());
  const Buffer mine = counts.result(call.rank);
  if (call.size == 1) {
    if (!call.in_place) schedule.copy(input, mine);
    return;
  }
  std::vector<Count> begins;
  for (int i = 0; i <= call.size; ++i) begins.push_back(counts.begin(i));
  const Buffer sum = schedule.scratch(counts.total(), call.receive.type);
  Circulant circulant(schedule, call.rank, std::move(begins), sum);
  const StepId reduced = circulant.reduce(input);
  schedule.copy(counts.of(sum, call.rank), mine, {reduced, circulant.input_read()});
}

const Algorithm registered_reduce_scatter_circulant{Operation::reduce_scatter, "circulant",
                                                    reduce_scatter_circulant, kCommutes};
const Algorithm registered_reduce_scatter_block_circulant{
    Operation::reduce_scatter_block, "circulant", reduce_scatter_circulant, kCommutes};

}  // namespace tessera::coll::basic
