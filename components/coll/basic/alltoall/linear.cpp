// SPDX-License-Identifier: BSD-3-Clause
// Alltoall(v, w) with all messages at once, on intra- and intercommunicators.
// Cost for blocks of n bytes: p - 1 messages each way at once; one message deep.
#include "algorithms.h"
#include "outgoing.h"

namespace tessera::coll::basic {

void alltoall_linear(const Call& call, Schedule& schedule) {
  const std::vector<Outgoing> blocks = outgoing_blocks(call, schedule);
  for (int i = 0; i < call.remote_size; ++i) {
    const int other = modulo(call.rank % call.remote_size + i, call.remote_size);
    const Outgoing& mine = blocks[static_cast<std::size_t>(other)];
    const Buffer theirs = block(call, Space::receive, other);
    if (!call.inter && other == call.rank) {
      if (!call.in_place) schedule.copy(mine.data, theirs);
      continue;
    }
    if (mine.data.bytes() > 0) schedule.send(other, mine.data, {mine.saved});
    if (theirs.bytes() > 0) schedule.recv(other, theirs, {mine.saved});
  }
}

const Algorithm registered_alltoall_linear{Operation::alltoall, "linear", alltoall_linear};
const Algorithm registered_alltoallv_linear{Operation::alltoallv, "linear", alltoall_linear};
const Algorithm registered_alltoallw_linear{Operation::alltoallw, "linear", alltoall_linear};

}  // namespace tessera::coll::basic
