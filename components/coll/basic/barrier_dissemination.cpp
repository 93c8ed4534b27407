// SPDX-License-Identifier: BSD-3-Clause
// Barrier by dissemination: in round k, a signal to the process 2^k further on and one from the process 2^k
// before.
// Cost: ceil(log2 p) rounds of one empty message each. Source: Hensgen, Finkel, Manber, "Two algorithms for
// barrier synchronization", Int. J. Parallel Programming 17(1), 1988.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

void barrier_dissemination(const Call& call, Schedule& schedule) {
  StepId heard = kNoStep;
  for (int distance = 1; distance < call.size; distance *= 2) {
    schedule.send(modulo(call.rank + distance, call.size), {}, {heard});
    heard = schedule.recv(modulo(call.rank - distance, call.size), {}, {heard});
  }
}

}  // namespace tessera::coll::basic
