// SPDX-License-Identifier: BSD-3-Clause
// Barrier of two processes: a signal each way at the same time. For two processes.
// Cost: one message deep.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void barrier_two_processes(const Call& call, Schedule& schedule) {
  schedule.send(1 - call.rank, {});
  schedule.recv(1 - call.rank, {});
}

const Algorithm registered_barrier_two_processes{Operation::barrier, "two_processes",
                                                 barrier_two_processes, kTwoProcesses};

}  // namespace tessera::coll::basic
