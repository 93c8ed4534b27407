// SPDX-License-Identifier: BSD-3-Clause
// Alltoall for two processes, who exchange a block.
// Cost for blocks of n bytes: latency + n / bandwidth; in place, a copy of a block before.
#include "algorithms.h"
#include "outgoing.h"

namespace tessera::coll::basic {

static void alltoall_two_processes(const Call& call, Schedule& schedule) {
  const int other = 1 - call.rank;
  const Buffer theirs = block(call, Space::receive, other);
  Outgoing mine;
  if (call.in_place) {
    mine.data = schedule.scratch(theirs.bytes(), nullptr);
    mine.saved = schedule.copy(theirs, mine.data);
  } else {
    mine.data = block(call, Space::send, other);
  }
  schedule.send(other, mine.data, {mine.saved});
  schedule.recv(other, theirs, {mine.saved});
  if (!call.in_place)
    schedule.copy(block(call, Space::send, call.rank), block(call, Space::receive, call.rank));
}

const Algorithm registered_alltoall_two_processes{Operation::alltoall, "two_processes",
                                                  alltoall_two_processes, kTwoProcesses};

}  // namespace tessera::coll::basic
