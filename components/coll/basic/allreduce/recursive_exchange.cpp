// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by exchanging the whole vector with radix - 1 processes at a time, which multiplies the
// number of processes that a partial result stands for by the radix. Keeps the order of ranks;
// numbers of processes that do not fit are folded. Cost for n bytes and radix k: ceil(log_k p)
// latency + (k - 1) log_k p n (1 / bandwidth + 1 / reduction speed); two messages deeper where
// processes are folded. Source: Ruefenacht, Bull, Booth, "Generalisation of recursive doubling for
// AllReduce: now with simulation", Parallel Computing 69, 2017.
#include "algorithms.h"
#include "groups.h"
#include "multiway_reduction.h"

namespace tessera::coll::basic {

static void allreduce_recursive_exchange(const Call& call, const Tuning& tuning,
                                         Schedule& schedule) {
  const Groups groups(call.rank, call.size, tuning.radix);
  if (!groups.leads()) return lend_to(call, schedule, groups.leader());
  MultiwayReduction reduction(schedule, contribution(call), result(call), false);
  for (int rank = groups.leader() + 1; rank < groups.end(); ++rank) reduction.absorb(rank);
  for (const Round& round : groups.rounds()) {
    std::vector<int> ranks;
    for (int i = 0; i < round.radix; ++i)
      ranks.push_back(groups.first(round.peer(groups.number(), i)));
    reduction.exchange_whole(ranks, round.digit(groups.number()));
  }
  const StepId finished = reduction.finish();
  for (int rank = groups.leader() + 1; rank < groups.end(); ++rank)
    schedule.send(rank, result(call), {finished});
}

const Algorithm registered_allreduce_recursive_exchange{Operation::allreduce,
                                                        "recursive_exchange",
                                                        allreduce_recursive_exchange,
                                                        kAlways,
                                                        {.radix = 4}};

}  // namespace tessera::coll::basic
