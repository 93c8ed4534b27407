// SPDX-License-Identifier: BSD-3-Clause
// Allreduce as a reduction to rank 0 followed by a broadcast. Keeps the order of ranks.
// Cost for n bytes: 2 ceil(log2 p) (latency + n / bandwidth) + ceil(log2 p) n / reduction speed; p
// messages less than by recursive doubling, which pays where processes share a processor.
#include "algorithms.h"
#include "trees.h"

namespace tessera::coll::basic {

static void allreduce_reduce_bcast(const Call& call, Schedule& schedule) {
  const Team team = everybody(call);
  const StepId reduced =
      reduce_on(schedule, team, 0, call.op->commutative(), contribution(call), result(call));
  bcast_on(schedule, team, 0, result(call), reduced);
}

const Algorithm registered_allreduce_reduce_bcast{Operation::allreduce, "reduce_bcast",
                                                  allreduce_reduce_bcast};

}  // namespace tessera::coll::basic
