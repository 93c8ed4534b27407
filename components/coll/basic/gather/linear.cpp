// SPDX-License-Identifier: BSD-3-Clause
// Gather and gatherv by the root alone, on intra- and intercommunicators.
// Cost: p - 1 messages at the root, one message deep, no intermediate copies.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

static void at_root(const Call& call, Schedule& schedule) noexcept {
  for (int i = 0; i < call.remote_size; ++i) {
    const Buffer from_i = block(call, Space::receive, i);
    if (!call.inter && i == call.rank) {
      if (!call.in_place) schedule.copy(whole(Space::send, call.send), from_i);
    } else if (from_i.bytes() > 0) {
      schedule.recv(i, from_i);
    }
  }
}

}  // namespace

void gather_linear(const Call& call, Schedule& schedule) {
  if (call.inter ? call.root == kRoot : call.root == call.rank) {
    at_root(call, schedule);
  } else if (call.root != kProcNull && whole(Space::send, call.send).bytes() > 0) {
    schedule.send(call.root, whole(Space::send, call.send));
  }
}

const Algorithm registered_gather_linear{Operation::gather, "linear", gather_linear};
const Algorithm registered_gatherv_linear{Operation::gatherv, "linear", gather_linear};

}  // namespace tessera::coll::basic
