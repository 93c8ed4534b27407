// SPDX-License-Identifier: BSD-3-Clause
// Barrier by a signal that goes round twice: the first round tells that all have come, the second
// that they may go. Cost: 2 p - 1 messages, one after the other, between neighbours only.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void barrier_double_ring(const Call& call, Schedule& schedule) {
  if (call.size == 1) return;
  const int left = modulo(call.rank - 1, call.size);
  const int right = modulo(call.rank + 1, call.size);
  const bool first = call.rank == 0;
  const bool last = right == 0;
  StepId step = first ? kNoStep : schedule.recv(left, {});
  step = schedule.send(right, {}, {step});
  step = schedule.recv(left, {}, {step});
  if (!last) schedule.send(right, {}, {step});
}

const Algorithm registered_barrier_double_ring{Operation::barrier, "double_ring",
                                               barrier_double_ring};

}  // namespace tessera::coll::basic
