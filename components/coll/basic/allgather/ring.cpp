// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv around a ring: in round i, block rank - i moves one process to the
// right. Cost for blocks of n bytes: (p - 1) (latency + n / bandwidth); neighbours only.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void allgather_ring(const Call& call, Schedule& schedule) {
  OrderedChain to_right(schedule), from_left(schedule);
  Buffer outgoing = own_block(call);
  if (!call.in_place) schedule.copy(outgoing, block(call, Space::receive, call.rank));
  StepId here = kNoStep;
  for (int i = 1; i < call.size; ++i) {
    if (outgoing.bytes() > 0)
      to_right(schedule.send(modulo(call.rank + 1, call.size), outgoing, {here}));
    outgoing = block(call, Space::receive, modulo(call.rank - i, call.size));
    here = kNoStep;
    if (outgoing.bytes() > 0)
      here = from_left(schedule.recv(modulo(call.rank - 1, call.size), outgoing));
  }
}

const Algorithm registered_allgather_ring{Operation::allgather, "ring", allgather_ring};
const Algorithm registered_allgatherv_ring{Operation::allgatherv, "ring", allgather_ring};

}  // namespace tessera::coll::basic
