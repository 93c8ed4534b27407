// SPDX-License-Identifier: BSD-3-Clause
// Broadcast by scattering pieces along a binomial tree and collecting them, around a ring or, for a
// power of two processes, by recursive doubling. Cost for n bytes: latency + 2 n (p - 1) / p /
// bandwidth, with ceil(log2 p) + p - 1 latencies for the ring, which talks to neighbours only, and
// 2 log2 p for doubling. Source: Barnett, Gupta, Payne, Shuler, van de Geijn, Watts,
// "Interprocessor collective communication library (InterCom)", SHPCC 1994.
#include "algorithms.h"
#include "scattered_row.h"

namespace tessera::coll::basic {

// Round i passes piece me - i to the right and takes piece me - 1 - i from the left, unless it came
// by the scatter.
static void bcast_scatter_allgather(const Call& call, Schedule& schedule) {
  ScatteredRow row(call, schedule);
  row.scatter();
  const int right = modulo(row.me() + 1, call.size);
  StepId arrived = kNoStep;
  for (int i = 0; i + 1 < call.size; ++i) {
    const int outgoing = modulo(row.me() - i, call.size);
    const int incoming = modulo(row.me() - 1 - i, call.size);
    if (!row.has(right, outgoing))
      row.send(right, outgoing, 1, row.has(row.me(), outgoing) ? row.scattered() : arrived);
    if (!row.has(row.me(), incoming)) arrived = row.recv(row.me() - 1, incoming, 1);
  }
  row.finish();
}

// Before a round, both partners have the pieces of all processes that differ from them in lower
// bits only; one of them may have those of the other from the scatter.
static void bcast_scatter_allgather_doubling(const Call& call, Schedule& schedule) {
  ScatteredRow row(call, schedule);
  row.scatter();
  StepId here = row.scattered();
  for (int distance = 1; distance < call.size; distance *= 2) {
    const int other = row.me() ^ distance;
    const int mine = row.me() / distance * distance;
    const int theirs = other / distance * distance;
    const StepId before = here;
    if (!row.has(row.me(), theirs, distance)) here = row.recv(other, theirs, distance, before);
    if (!row.has(other, mine, distance)) row.send(other, mine, distance, before);
  }
  row.finish();
}

const Algorithm registered_bcast_scatter_allgather{Operation::bcast, "scatter_allgather",
                                                   bcast_scatter_allgather};
const Algorithm registered_bcast_scatter_allgather_doubling{
    Operation::bcast, "scatter_allgather_doubling", bcast_scatter_allgather_doubling, kPowerOfTwo};

}  // namespace tessera::coll::basic
