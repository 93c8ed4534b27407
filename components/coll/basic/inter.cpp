// SPDX-License-Identifier: BSD-3-Clause
// Collectives of intercommunicators. Rank 0 of each side speaks for it; within a side, binomial
// trees. Cost: the tree of one side, one message across, the tree of the other. Source: MPI-5.0
// section 6.2.2, 6.2.3. (gather(v), scatter(v), allgather(v) and alltoall(v, w) are the linear
// algorithms.)
#include "algorithms.h"
#include "scatter_counts.h"
#include "trees.h"

namespace tessera::coll::basic {

namespace {

// Exchanges `mine`, ready after step `after`, with rank 0 of the other side. The step after which
// `theirs` is there.
StepId across(Schedule& schedule, const Buffer& mine, const Buffer& theirs, StepId after) noexcept {
  schedule.send(0, mine, {after});
  return schedule.recv(0, theirs);
}

}  // namespace

static void inter_barrier(const Call& call, Schedule& schedule) {
  const Team side = own_side(call);
  StepId ready = assemble_on(schedule, side);
  if (call.rank == 0) ready = across(schedule, {}, {}, ready);
  bcast_on(schedule, side, 0, {}, ready);
}

static void inter_bcast(const Call& call, Schedule& schedule) {
  if (call.root == kProcNull) return;
  if (call.root == kRoot) {
    schedule.send(0, result(call));
    return;
  }
  const StepId got = call.rank == 0 ? schedule.recv(call.root, result(call)) : kNoStep;
  bcast_on(schedule, own_side(call), 0, result(call), got);
}

static void inter_reduce(const Call& call, Schedule& schedule) {
  if (call.root == kProcNull) return;
  if (call.root == kRoot) {
    schedule.recv(0, result(call));
    return;
  }
  const Buffer sum =
      call.rank == 0 ? schedule.scratch(call.receive.count, call.receive.type) : Buffer{};
  const StepId reduced =
      reduce_on(schedule, own_side(call), 0, call.op->commutative(), contribution(call), sum);
  if (call.rank == 0) schedule.send(call.root, sum, {reduced});
}

static void inter_allreduce(const Call& call, Schedule& schedule) {
  const Team side = own_side(call);
  const Buffer sum =
      call.rank == 0 ? schedule.scratch(call.receive.count, call.receive.type) : Buffer{};
  const StepId reduced =
      reduce_on(schedule, side, 0, call.op->commutative(), contribution(call), sum);
  const StepId got = call.rank == 0 ? across(schedule, sum, result(call), reduced) : kNoStep;
  bcast_on(schedule, side, 0, result(call), got);
}

static void inter_reduce_scatter(const Call& call, Schedule& schedule) {
  const Team side = own_side(call);
  const ScatterCounts counts(call);
  const Buffer input = contribution(call, counts.total());
  const Buffer mine = counts.result(call.rank);
  if (call.rank != 0) {
    reduce_on(schedule, side, 0, call.op->commutative(), input, {});
    if (mine.bytes() > 0) schedule.recv(side.to(0), mine);
    return;
  }
  const Buffer sum = schedule.scratch(counts.total(), call.receive.type);
  const Buffer theirs = schedule.scratch(counts.total(), call.receive.type);
  const StepId got = across(schedule, sum, theirs,
                            reduce_on(schedule, side, 0, call.op->commutative(), input, sum));
  schedule.copy(counts.of(theirs, 0), mine, {got});
  for (int i = 1; i < call.size; ++i) {
    if (counts.of(theirs, i).bytes() > 0) schedule.send(side.to(i), counts.of(theirs, i), {got});
  }
}

const Algorithm* inter_algorithm(Operation operation) noexcept {
  using enum Operation;
  static constexpr Algorithm kInter[] = {
      {barrier, "inter", inter_barrier},
      {bcast, "inter", inter_bcast},
      {gather, "linear", gather_linear},
      {gatherv, "linear", gather_linear},
      {scatter, "linear", scatter_linear},
      {scatterv, "linear", scatter_linear},
      {allgather, "linear", allgather_linear},
      {allgatherv, "linear", allgather_linear},
      {alltoall, "linear", alltoall_linear},
      {alltoallv, "linear", alltoall_linear},
      {alltoallw, "linear", alltoall_linear},
      {reduce, "inter", inter_reduce},
      {allreduce, "inter", inter_allreduce},
      {reduce_scatter, "inter", inter_reduce_scatter},
      {reduce_scatter_block, "inter", inter_reduce_scatter},
  };
  for (const Algorithm& each : kInter) {
    if (each.operation == operation) return &each;
  }
  return nullptr;
}

}  // namespace tessera::coll::basic
