// SPDX-License-Identifier: BSD-3-Clause
// Scatter and scatterv by the root alone, on intra- and intercommunicators.
// Cost: p - 1 messages at the root, one message deep, no intermediate copies.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

static void at_root(const Call& call, Schedule& schedule) noexcept {
  for (int i = 0; i < call.remote_size; ++i) {
    const Buffer to_i = block(call, Space::send, i);
    if (!call.inter && i == call.rank) {
      if (!call.in_place) schedule.copy(to_i, result(call));
    } else if (to_i.bytes() > 0) {
      schedule.send(i, to_i);
    }
  }
}

}  // namespace

void scatter_linear(const Call& call, Schedule& schedule) {
  if (call.inter ? call.root == kRoot : call.root == call.rank) {
    at_root(call, schedule);
  } else if (call.root != kProcNull && result(call).bytes() > 0) {
    schedule.recv(call.root, result(call));
  }
}

const Algorithm registered_scatter_linear{Operation::scatter, "linear", scatter_linear};
const Algorithm registered_scatterv_linear{Operation::scatterv, "linear", scatter_linear};

}  // namespace tessera::coll::basic
