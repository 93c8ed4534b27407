// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv with each process sending its block to every other, on intra- and
// intercommunicators.
// Cost for blocks of n bytes: p - 1 messages each way at once; one message deep.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

void allgather_linear(const Call& call, Schedule& schedule) {
  const Buffer own = own_block(call);
  for (int i = 0; i < call.remote_size; ++i) {
    const int other = modulo(call.rank % call.remote_size + i, call.remote_size);
    const Buffer theirs = block(call, Space::receive, other);
    if (!call.inter && other == call.rank) {
      if (!call.in_place) schedule.copy(own, theirs);
      continue;
    }
    if (own.bytes() > 0) schedule.send(other, own);
    if (theirs.bytes() > 0) schedule.recv(other, theirs);
  }
}

const Algorithm registered_allgather_linear{Operation::allgather, "linear", allgather_linear};
const Algorithm registered_allgatherv_linear{Operation::allgatherv, "linear", allgather_linear};

}  // namespace tessera::coll::basic
