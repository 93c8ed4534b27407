// SPDX-License-Identifier: BSD-3-Clause
// Allgather by exchanging everything collected so far with a process 1, 2, 4, ... further on. For a
// power of two processes. Cost for blocks of n bytes: log2 p latency + n (p - 1) / bandwidth, no
// intermediate copies.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void allgather_recursive_doubling(const Call& call, Schedule& schedule) {
  const Buffer all{Space::receive, 0, call.size * call.receive.count, call.receive.type};
  const Count each = call.receive.count;
  Buffer held = own_block(call);
  const StepId own =
      call.in_place ? kNoStep : schedule.copy(held, block(call, Space::receive, call.rank));
  StepId got = kNoStep;
  for (int distance = 1; distance < call.size; distance *= 2) {
    const int other = call.rank ^ distance;
    const int theirs = other / distance * distance;
    schedule.send(other, held, {distance == 1 ? kNoStep : own, got});
    got = schedule.recv(other, all.part(theirs * each, distance * each), {got});
    held = all.part(call.rank / (2 * distance) * (2 * distance) * each, 2 * distance * each);
  }
}

const Algorithm registered_allgather_recursive_doubling{Operation::allgather, "recursive_doubling",
                                                        allgather_recursive_doubling, kPowerOfTwo};

}  // namespace tessera::coll::basic
