// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by exchanging the whole vector with a process 1, 2, 4, ... further on. Keeps the order
// of ranks. Cost for n bytes: ceil(log2 p) (latency + n / bandwidth + n / reduction speed); two
// rounds more unless p is a power of two. Source: Thakur, Rabenseifner, Gropp, "Optimization of
// collective communication operations in MPICH", IJHPCA 19(1), 2005.
#include "algorithms.h"
#include "fold.h"
#include "partial_reduction.h"

namespace tessera::coll::basic {

static void allreduce_recursive_doubling(const Call& call, Schedule& schedule) {
  const Fold fold(call.rank, call.size);
  if (fold.idle()) return lend_to(call, schedule, fold.partner());
  PartialReduction partial(schedule, call.op->commutative(), contribution(call), result(call));
  if (fold.paired()) partial.absorb(fold.partner(), false, fold.size() == 1);
  for (int distance = 1; distance < fold.size(); distance *= 2) {
    const int other = fold.number() ^ distance;
    partial.exchange(fold.rank_of(other), fold.number() < other, 2 * distance == fold.size());
  }
  const StepId finished = partial.finish();
  if (fold.paired()) schedule.send(fold.partner(), result(call), {finished});
}

const Algorithm registered_allreduce_recursive_doubling{Operation::allreduce, "recursive_doubling",
                                                        allreduce_recursive_doubling};

}  // namespace tessera::coll::basic
