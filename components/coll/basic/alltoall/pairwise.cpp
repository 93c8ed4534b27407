// SPDX-License-Identifier: BSD-3-Clause
// Alltoall(v, w) in p - 1 rounds, in the i-th of which each process sends i further on; a few
// rounds are under way at a time. Cost for blocks of n bytes: (p - 1) (latency + n / bandwidth); at
// no time do many senders meet at one receiver.
#include "algorithms.h"
#include "outgoing.h"

namespace tessera::coll::basic {

namespace {

constexpr int kRoundsAtOnce = 4;

}  // namespace

static void alltoall_pairwise(const Call& call, Schedule& schedule) {
  const std::vector<Outgoing> blocks = outgoing_blocks(call, schedule);
  const auto outgoing = [&](int rank) -> const Outgoing& {
    return blocks[static_cast<std::size_t>(rank)];
  };
  if (!call.in_place)
    schedule.copy(outgoing(call.rank).data, block(call, Space::receive, call.rank));
  StepId ended[kRoundsAtOnce];
  for (StepId& step : ended) step = kNoStep;
  for (int i = 1; i < call.size; ++i) {
    const int to = modulo(call.rank + i, call.size);
    const int from = modulo(call.rank - i, call.size);
    StepId& gate = ended[i % kRoundsAtOnce];
    const Buffer theirs = block(call, Space::receive, from);
    StepId sent = kNoStep, got = kNoStep;
    if (outgoing(to).data.bytes() > 0)
      sent = schedule.send(to, outgoing(to).data, {outgoing(to).saved, gate});
    if (theirs.bytes() > 0) got = schedule.recv(from, theirs, {outgoing(from).saved, gate});
    if (sent != kNoStep || got != kNoStep) gate = join(schedule, {sent, got});
  }
}

const Algorithm registered_alltoall_pairwise{Operation::alltoall, "pairwise", alltoall_pairwise};
const Algorithm registered_alltoallv_pairwise{Operation::alltoallv, "pairwise", alltoall_pairwise};
const Algorithm registered_alltoallw_pairwise{Operation::alltoallw, "pairwise", alltoall_pairwise};

}  // namespace tessera::coll::basic
