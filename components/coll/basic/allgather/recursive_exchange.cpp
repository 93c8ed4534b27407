// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv by exchanging everything collected so far with radix - 1 processes at a
// time, nearest first. Numbers of processes that do not fit are folded. allgatherv's
// recursive_doubling is the same with radix 2, where nothing is folded. Cost for blocks of n bytes
// on average and radix k: ceil(log_k p) latency + n (p - 1) / bandwidth; where processes are
// folded, two messages more, of one block and of everything. Blocks of allgatherv that lie in the
// receive buffer with gaps or in another order than that of ranks are copied once.
#include "algorithms.h"
#include "block_row.h"
#include "groups.h"

namespace tessera::coll::basic {

namespace {

// The part of one who works for others of his group, too.
void lead(const Call& call, const Groups& groups, Schedule& schedule) {
  BlockRow row(call, schedule);
  StepId held = join(schedule, {row.own()});
  for (int rank = groups.leader() + 1; rank < groups.end(); ++rank)
    schedule.order(schedule.recv(rank, row.of(rank, rank + 1)), held);
  for (const Round& round : groups.rounds()) {
    const StepId collected = join(schedule, {held});
    const auto range = [&](int number) {
      const int begin = number / round.distance * round.distance;
      return row.of(groups.first(begin), groups.first(begin + round.distance));
    };
    for (int i = 0; i < round.radix; ++i) {
      const int other = round.peer(groups.number(), i);
      if (other == groups.number()) continue;
      schedule.send(groups.first(other), range(groups.number()), {held});
      schedule.order(schedule.recv(groups.first(other), range(other)), collected);
    }
    held = collected;
  }
  for (int rank = groups.leader() + 1; rank < groups.end(); ++rank)
    schedule.send(rank, row.of(0, call.size), {held});
  row.finish(held);
}

void exchange(const Call& call, int radix, Schedule& schedule) {
  const Groups groups(call.rank, call.size, radix);
  if (groups.leads()) return lead(call, groups, schedule);
  const StepId sent = schedule.send(groups.leader(), own_block(call));
  BlockRow row(call, schedule);
  row.finish(schedule.recv(groups.leader(), row.of(0, call.size), {sent}));
}

}  // namespace

static void allgather_recursive_exchange(const Call& call, const Tuning& tuning,
                                         Schedule& schedule) {
  exchange(call, tuning.radix, schedule);
}

static void allgatherv_recursive_doubling(const Call& call, Schedule& schedule) {
  exchange(call, 2, schedule);
}

const Algorithm registered_allgather_recursive_exchange{Operation::allgather,
                                                        "recursive_exchange",
                                                        allgather_recursive_exchange,
                                                        kAlways,
                                                        {.radix = 4}};
const Algorithm registered_allgatherv_recursive_exchange{Operation::allgatherv,
                                                         "recursive_exchange",
                                                         allgather_recursive_exchange,
                                                         kAlways,
                                                         {.radix = 4}};
const Algorithm registered_allgatherv_recursive_doubling{
    Operation::allgatherv, "recursive_doubling", allgatherv_recursive_doubling, kPowerOfTwo};

}  // namespace tessera::coll::basic
