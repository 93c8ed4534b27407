// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a binomial tree. Cost for n bytes: ceil(log2 p) (latency + n / bandwidth).
#include "algorithms.h"
#include "trees.h"

namespace tessera::coll::basic {

void bcast_binomial(const Call& call, Schedule& schedule) {
  bcast_on(schedule, everybody(call), call.root, result(call), kNoStep);
}

}  // namespace tessera::coll::basic
