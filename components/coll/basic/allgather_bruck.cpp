// SPDX-License-Identifier: BSD-3-Clause
// Allgather for any number of processes in ceil(log2 p) rounds: blocks are collected in the order of ranks
// from the own one on, packed, and turned round at the end.
// Cost for blocks of n bytes: ceil(log2 p) latency + n (p - 1) / bandwidth + one copy of everything.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in
// multiport message-passing systems", IEEE TPDS 8(11), 1997.
#include <algorithm>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

void allgather_bruck(const Call& call, Schedule& schedule) {
  const Buffer all{Space::receive, 0, call.size * call.receive.count, call.receive.type};
  const Count each = block(call, Space::receive, 0).bytes();
  const Buffer packed = schedule.scratch(call.size * each, nullptr);
  const StepId own = schedule.copy(own_block(call), packed.part(0, each));
  StepId got = kNoStep;
  for (int distance = 1; distance < call.size; distance *= 2) {
    const int number = std::min(distance, call.size - distance);
    schedule.send(modulo(call.rank - distance, call.size), packed.part(0, number * each), {own, got});
    got = schedule.recv(modulo(call.rank + distance, call.size), packed.part(distance * each, number * each),
                        {got});
  }
  const Count to_end = call.size - call.rank;
  const Count elements = call.receive.count;
  schedule.copy(packed.part(0, to_end * each), all.part(call.rank * elements, to_end * elements), {own, got});
  if (call.rank > 0) {
    schedule.copy(packed.part(to_end * each, call.rank * each), all.part(0, call.rank * elements),
                  {own, got});
  }
}

}  // namespace tessera::coll::basic
