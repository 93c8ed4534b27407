// SPDX-License-Identifier: BSD-3-Clause
// Broadcast by the root alone. Cost for n bytes: p - 1 messages at the root, one message deep.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void bcast_linear(const Call& call, Schedule& schedule) {
  if (call.rank != call.root) {
    schedule.recv(call.root, result(call));
    return;
  }
  for (int i = 1; i < call.size; ++i) schedule.send(modulo(call.root + i, call.size), result(call));
}

const Algorithm registered_bcast_linear{Operation::bcast, "linear", bcast_linear};

}  // namespace tessera::coll::basic
