// SPDX-License-Identifier: BSD-3-Clause
// Prefix reductions along a chain: receive the prefix of the rank before, add the own contribution,
// pass it on. Cost for n bytes: (p - 1) (latency + n / bandwidth + n / reduction speed) for the
// last rank; one message per process.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void scan_linear(const Call& call, Schedule& schedule) {
  StepId ready = call.in_place ? kNoStep : schedule.copy(contribution(call), result(call));
  if (call.rank > 0) {
    const Buffer before = schedule.scratch(call.receive.count, call.receive.type);
    ready = schedule.reduce(before, result(call), {schedule.recv(call.rank - 1, before), ready});
  }
  if (call.rank + 1 < call.size) schedule.send(call.rank + 1, result(call), {ready});
}

static void exscan_linear(const Call& call, Schedule& schedule) {
  const bool last = call.rank + 1 == call.size;
  if (call.rank == 0) {
    if (!last) schedule.send(1, contribution(call));
    return;
  }
  Buffer through{};
  StepId saved = kNoStep;
  if (!last) {
    through = schedule.scratch(call.receive.count, call.receive.type);
    saved = schedule.copy(contribution(call), through);
  }
  const StepId got = schedule.recv(call.rank - 1, result(call), {call.in_place ? saved : kNoStep});
  if (!last)
    schedule.send(call.rank + 1, through, {schedule.reduce(result(call), through, {got, saved})});
}

const Algorithm registered_scan_linear{Operation::scan, "linear", scan_linear, kAlways,
                                       Combining::of_ranks};
const Algorithm registered_exscan_linear{Operation::exscan, "linear", exscan_linear, kAlways,
                                         Combining::of_ranks};

}  // namespace tessera::coll::basic
