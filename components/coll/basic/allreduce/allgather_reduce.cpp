// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in which everybody collects all contributions and reduces them on its own. Keeps the
// order of ranks, and all processes do the same arithmetic. For little data and cheap operations.
// Cost for n bytes: ceil(log2 p) latency + n (p - 1) / bandwidth + n (p - 1) / reduction speed; p n
// bytes of memory.
#include <numeric>
#include <vector>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

// All contributions, in the order of ranks. The step after which they are there.
StepId collect(const Call& call, const Buffer& all, Schedule& schedule) {
  Call inner;
  inner.operation = Operation::allgather;
  inner.rank = call.rank;
  inner.size = inner.remote_size = call.size;
  inner.send.count = inner.receive.count = call.receive.count;
  inner.send.type = inner.receive.type = call.receive.type;
  std::vector<int> ranks(static_cast<std::size_t>(call.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  Part part(schedule, ranks, contribution(call), all, kNoStep);
  (power_of_two(inner) ? registered_allgather_recursive_doubling : registered_allgather_bruck)
      .emit(inner, {}, schedule);
  return part.end();
}

}  // namespace

// The sum grows from the last rank down, in its place of the memory, and at last moves to where it
// belongs.
static void allreduce_allgather_reduce(const Call& call, Schedule& schedule) {
  const Count count = call.receive.count;
  const Buffer all = schedule.scratch(call.size * count, call.receive.type);
  StepId ready = collect(call, all, schedule);
  const Buffer sum = all.part((call.size - 1) * count, count);
  for (int i = call.size - 2; i >= 0; --i)
    ready = schedule.reduce(all.part(i * count, count), sum, {ready});
  schedule.copy(sum, result(call), {ready});
}

const Algorithm registered_allreduce_allgather_reduce{Operation::allreduce, "allgather_reduce",
                                                      allreduce_allgather_reduce, kAlways,
                                                      Combining::of_ranks};

}  // namespace tessera::coll::basic
