// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block) by exchanging all data with a process 1, 2, 4, ... further on, and keeping
// the own portion. Keeps the order of ranks; numbers of processes between powers of two are folded.
// Cost for n bytes in all: ceil(log2 p) (latency + n / bandwidth + n / reduction speed); one round
// more unless p is a power of two. Source: Thakur, Rabenseifner, Gropp, "Optimization of collective
// communication operations in MPICH", IJHPCA 19(1), 2005.
#include "algorithms.h"
#include "groups.h"
#include "multiway_reduction.h"
#include "scatter_counts.h"

namespace tessera::coll::basic {

static void reduce_scatter_recursive_doubling(const Call& call, Schedule& schedule) {
  const ScatterCounts counts(call);
  const Groups groups(call.rank, call.size, 2);
  const Buffer input = contribution(call, counts.total());
  const Buffer mine = counts.result(call.rank);
  if (!groups.leads()) {
    const StepId sent = schedule.send(groups.leader(), input);
    schedule.recv(groups.leader(), mine, {sent});
    return;
  }
  MultiwayReduction reduction(schedule, input, false);
  for (int rank = groups.leader() + 1; rank < groups.end(); ++rank) reduction.absorb(rank);
  for (const Round& round : groups.rounds()) {
    const int pair[] = {groups.first(round.peer(groups.number(), 0)),
                        groups.first(round.peer(groups.number(), 1))};
    reduction.exchange_whole(pair, round.digit(groups.number()));
  }
  for (int rank = groups.leader() + 1; rank < groups.end(); ++rank)
    schedule.send(rank, counts.of(reduction.value(), rank), {reduction.ready()});
  if (call.size > 1 || !call.in_place)
    schedule.copy(counts.of(reduction.value(), call.rank), mine,
                  {reduction.ready(), reduction.settled()});
}

const Algorithm registered_reduce_scatter_recursive_doubling{
    Operation::reduce_scatter, "recursive_doubling", reduce_scatter_recursive_doubling};
const Algorithm registered_reduce_scatter_block_recursive_doubling{
    Operation::reduce_scatter_block, "recursive_doubling", reduce_scatter_recursive_doubling};

}  // namespace tessera::coll::basic
