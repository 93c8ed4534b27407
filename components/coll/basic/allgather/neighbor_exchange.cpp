// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv between neighbours on a ring, in turn with the right and the left one:
// first the own block, then the two blocks that came last. For an even number of processes. Cost
// for blocks of n bytes: p / 2 latency + n (p - 1) / bandwidth: half the rounds of a ring. Source:
// Chen, Zhang, Zhang, Yuan, "Performance evaluation of allgather algorithms on terascale Linux
// cluster with fast Ethernet", HPC-Asia 2005.
#include "algorithms.h"
#include "block_row.h"

namespace tessera::coll::basic {

// Ranks 2 i and 2 i + 1 are pair i. What the even one receives comes from pairs i - 1, i + 1, i -
// 2, i + 2, ...; for the odd one the sides are changed.
static void allgather_neighbor_exchange(const Call& call, Schedule& schedule) {
  const int pairs = call.size / 2;
  const int pair = call.rank / 2;
  const int side = call.rank % 2 == 0 ? 1 : -1;  // where the partner of the pair sits
  BlockRow row(call, schedule);
  const auto blocks_of = [&](int number) {
    const int which = modulo(number, pairs);
    return row.of(2 * which, 2 * which + 2);
  };
  OrderedChain sends[2] = {OrderedChain(schedule), OrderedChain(schedule)};
  OrderedChain recvs[2] = {OrderedChain(schedule), OrderedChain(schedule)};
  const int partner = call.rank + side;
  StepId held = row.own();
  sends[0](schedule.send(partner, row.of(call.rank, call.rank + 1), {held}));
  held = join(schedule, {held, recvs[0](schedule.recv(partner, row.of(partner, partner + 1)))});
  StepId all = join(schedule, {held});
  Buffer outgoing = blocks_of(pair);
  for (int i = 1; i < pairs; ++i) {
    const int other = modulo(i % 2 != 0 ? call.rank - side : partner, call.size);
    const int steps = (i + 1) / 2 * (i % 2 != 0 ? -side : side);
    sends[i % 2](schedule.send(other, outgoing, {held}));
    outgoing = blocks_of(pair + steps);
    held = recvs[i % 2](schedule.recv(other, outgoing));
    all = join(schedule, {all, held});
  }
  row.finish(all);
}

const Algorithm registered_allgather_neighbor_exchange{Operation::allgather, "neighbor_exchange",
                                                       allgather_neighbor_exchange, kEven};
const Algorithm registered_allgatherv_neighbor_exchange{Operation::allgatherv, "neighbor_exchange",
                                                        allgather_neighbor_exchange, kEven};

}  // namespace tessera::coll::basic
