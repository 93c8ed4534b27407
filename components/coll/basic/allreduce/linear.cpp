// SPDX-License-Identifier: BSD-3-Clause
// Allreduce as a linear reduction to rank 0, who sends the result to everybody. Keeps the order of
// ranks. Cost for n bytes: 2 (p - 1) messages and p - 1 reductions of n bytes, all at rank 0; two
// messages deep.
#include <numeric>
#include <vector>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void allreduce_linear(const Call& call, Schedule& schedule) {
  std::vector<int> ranks(static_cast<std::size_t>(call.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  Call inner = call;
  inner.operation = Operation::reduce;
  inner.root = 0;
  inner.in_place = call.in_place && call.rank == 0;
  StepId reduced = kNoStep;
  {
    Part part(schedule, ranks, contribution(call), result(call), kNoStep);
    registered_reduce_linear.emit(inner, {}, schedule);
    reduced = part.end();
  }
  inner.operation = Operation::bcast;
  Part part(schedule, ranks, {}, result(call), reduced);
  registered_bcast_linear.emit(inner, {}, schedule);
}

const Algorithm registered_allreduce_linear{Operation::allreduce, "linear", allreduce_linear,
                                            kAlways, Combining::of_ranks};

}  // namespace tessera::coll::basic
