// SPDX-License-Identifier: BSD-3-Clause
// Barrier by a central process: all signal to rank 0, which signals to all.
// Cost: two messages deep, 2 (p - 1) messages at rank 0.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void barrier_linear(const Call& call, Schedule& schedule) {
  if (call.rank != 0) {
    schedule.recv(0, {}, {schedule.send(0, {})});
    return;
  }
  const StepId all = join(schedule);
  for (int i = 1; i < call.size; ++i) schedule.order(schedule.recv(i, {}), all);
  for (int i = 1; i < call.size; ++i) schedule.send(i, {}, {all});
}

const Algorithm registered_barrier_linear{Operation::barrier, "linear", barrier_linear};

}  // namespace tessera::coll::basic
