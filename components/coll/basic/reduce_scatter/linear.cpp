// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block) as a linear reduction to rank 0, who sends everybody their part. Combines
// one rank after the other. Cost for n bytes in all: p - 1 messages and reductions of n bytes, and
// p - 1 messages of the parts, all at rank 0.
#include <numeric>
#include <vector>

#include "algorithms.h"
#include "scatter_counts.h"

namespace tessera::coll::basic {

namespace {

StepId reduce_at_zero(const Call& call, Schedule& schedule, const Buffer& input,
                      const Buffer& sum) {
  std::vector<int> ranks(static_cast<std::size_t>(call.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  Call inner;
  inner.operation = Operation::reduce;
  inner.rank = call.rank;
  inner.size = inner.remote_size = call.size;
  inner.op = call.op;
  inner.send.count = inner.receive.count = input.count;
  inner.send.type = inner.receive.type = input.type;
  Part part(schedule, ranks, input, sum, kNoStep);
  registered_reduce_linear.emit(inner, {}, schedule);
  return part.end();
}

}  // namespace

static void reduce_scatter_linear(const Call& call, Schedule& schedule) {
  const ScatterCounts counts(call);
  const Buffer input = contribution(call, counts.total());
  const Buffer mine = counts.result(call.rank);
  if (call.rank != 0) {
    const StepId given = reduce_at_zero(call, schedule, input, {});
    if (mine.bytes() > 0) schedule.recv(0, mine, {given});
    return;
  }
  const Buffer sum = schedule.scratch(counts.total(), call.receive.type);
  const StepId reduced = reduce_at_zero(call, schedule, input, sum);
  schedule.copy(counts.of(sum, 0), mine, {reduced});
  for (int i = 1; i < call.size; ++i) {
    if (counts.of(sum, i).bytes() > 0) schedule.send(i, counts.of(sum, i), {reduced});
  }
}

const Algorithm registered_reduce_scatter_linear{
    Operation::reduce_scatter, "linear", reduce_scatter_linear, kAlways, Combining::of_ranks};
const Algorithm registered_reduce_scatter_block_linear{
    Operation::reduce_scatter_block, "linear", reduce_scatter_linear, kAlways, Combining::of_ranks};

}  // namespace tessera::coll::basic
