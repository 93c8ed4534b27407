// SPDX-License-Identifier: BSD-3-Clause
// Alltoall(v, w) with at most `radix` messages each way under way at a time: the next one starts
// when one has come to its end, whatever the others do. Partners are taken in the order of their
// distance, so that they differ at any time. Cost for blocks of n bytes: (p - 1) / radix latency +
// n (p - 1) / bandwidth; memory for few unexpected messages.
#include <algorithm>
#include <vector>

#include "algorithms.h"
#include "outgoing.h"

namespace tessera::coll::basic {

namespace {

// Steps of which at most a given number are open; a step that is added waits for an earlier one.
class Window {
 public:
  explicit Window(int room) : steps_(static_cast<std::size_t>(std::max(room, 1)), kNoStep) {}
  StepId gate() const noexcept { return steps_[next_]; }
  void add(StepId step) noexcept {
    steps_[next_] = step;
    next_ = (next_ + 1) % steps_.size();
  }

 private:
  std::vector<StepId> steps_;
  std::size_t next_ = 0;
};

}  // namespace

static void alltoall_scattered(const Call& call, const Tuning& tuning, Schedule& schedule) {
  const std::vector<Outgoing> blocks = outgoing_blocks(call, schedule);
  const auto outgoing = [&](int rank) -> const Outgoing& {
    return blocks[static_cast<std::size_t>(rank)];
  };
  if (!call.in_place)
    schedule.copy(outgoing(call.rank).data, block(call, Space::receive, call.rank));
  const int room = std::min(tuning.radix, call.size);
  Window sends(room), recvs(room);
  for (int i = 1; i < call.size; ++i) {
    const int to = modulo(call.rank + i, call.size);
    const int from = modulo(call.rank - i, call.size);
    const Buffer theirs = block(call, Space::receive, from);
    if (theirs.bytes() > 0)
      recvs.add(schedule.recv(from, theirs, {outgoing(from).saved, recvs.gate()}));
    if (outgoing(to).data.bytes() > 0)
      sends.add(schedule.send(to, outgoing(to).data, {outgoing(to).saved, sends.gate()}));
  }
}

const Algorithm registered_alltoall_scattered{
    Operation::alltoall, "scattered", alltoall_scattered, kAlways, {.radix = 32}};
const Algorithm registered_alltoallv_scattered{
    Operation::alltoallv, "scattered", alltoall_scattered, kAlways, {.radix = 32}};
const Algorithm registered_alltoallw_scattered{
    Operation::alltoallw, "scattered", alltoall_scattered, kAlways, {.radix = 32}};

}  // namespace tessera::coll::basic
