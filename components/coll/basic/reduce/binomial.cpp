// SPDX-License-Identifier: BSD-3-Clause
// Reduction along a binomial tree. An operation that does not commute is reduced towards rank 0,
// which keeps the order of ranks, and the result passed on to the root. Cost for n bytes: ceil(log2
// p) (latency + n / bandwidth + n / reduction speed), one message more for the detour.
#include "algorithms.h"
#include "trees.h"

namespace tessera::coll::basic {

namespace {

static void by_way_of_rank_0(const Call& call, Schedule& schedule) noexcept {
  const Buffer target =
      call.rank == 0 ? schedule.scratch(call.receive.count, call.receive.type) : Buffer{};
  const StepId reduced = reduce_on(schedule, everybody(call), 0, false, contribution(call), target);
  if (call.rank == 0) schedule.send(call.root, target, {reduced});
  if (call.rank == call.root) schedule.recv(0, result(call), {reduced});
}

}  // namespace

static void reduce_binomial(const Call& call, Schedule& schedule) {
  if (call.op->commutative() || call.root == 0) {
    reduce_on(schedule, everybody(call), call.root, call.op->commutative(), contribution(call),
              result(call));
  } else {
    by_way_of_rank_0(call, schedule);
  }
}

const Algorithm registered_reduce_binomial{Operation::reduce, "binomial", reduce_binomial};

}  // namespace tessera::coll::basic
