// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv for two processes, who exchange their blocks.
// Cost for blocks of n bytes: latency + n / bandwidth.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void allgather_two_processes(const Call& call, Schedule& schedule) {
  const int other = 1 - call.rank;
  schedule.send(other, own_block(call));
  schedule.recv(other, block(call, Space::receive, other));
  if (!call.in_place) schedule.copy(own_block(call), block(call, Space::receive, call.rank));
}

const Algorithm registered_allgather_two_processes{Operation::allgather, "two_processes",
                                                   allgather_two_processes, kTwoProcesses};
const Algorithm registered_allgatherv_two_processes{Operation::allgatherv, "two_processes",
                                                    allgather_two_processes, kTwoProcesses};

}  // namespace tessera::coll::basic
