// SPDX-License-Identifier: BSD-3-Clause
// Barrier by dissemination: in round i, signals to the processes k^i, 2 k^i, ... (k - 1) k^i
// further on and as many from those before. `radix` is k. Cost: ceil(log_k p) rounds of k - 1 empty
// messages each. Source: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization",
// Int. J. Parallel Programming 17(1), 1988, for k = 2.
#include <algorithm>
#include <cstdint>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void barrier_dissemination(const Call& call, const Tuning& tuning, Schedule& schedule) {
  const int radix = std::max(tuning.radix, 2);
  StepId heard = kNoStep;
  for (std::int64_t distance = 1; distance < call.size; distance *= radix) {
    const StepId round = radix == 2 ? kNoStep : join(schedule, {heard});
    StepId last = kNoStep;
    for (int j = 1; j < radix && j * distance < call.size; ++j) {
      const int way = static_cast<int>(j * distance);
      schedule.send(modulo(call.rank + way, call.size), {}, {heard});
      last = schedule.recv(modulo(call.rank - way, call.size), {}, {heard});
      schedule.order(last, round);
    }
    heard = radix == 2 ? last : round;
  }
}

const Algorithm registered_barrier_dissemination{
    Operation::barrier, "dissemination", barrier_dissemination, kAlways, {.radix = 2}};

}  // namespace tessera::coll::basic
