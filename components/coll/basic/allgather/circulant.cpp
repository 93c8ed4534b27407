// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv along the edges of a circulant graph, for any number of processes: like
// Bruck's, but blocks come straight to their places. Cost for blocks of n bytes: ceil(log2 p)
// latency + n (p - 1) / bandwidth, no intermediate copies (of allgatherv's blocks one, unless they
// lie in the order of ranks without gaps); up to two messages in a round. Source: Traeff, "Optimal,
// non-pipelined reduce-scatter and allreduce algorithms", arXiv:2410.14234, 2024.
#include "circulant.h"

#include "algorithms.h"
#include "block_row.h"

namespace tessera::coll::basic {

static void allgather_circulant(const Call& call, Schedule& schedule) {
  BlockRow row(call, schedule);
  Circulant circulant(schedule, call.rank, row.begins(), row.of(0, call.size));
  row.finish(circulant.collect(row.own()));
}

const Algorithm registered_allgather_circulant{Operation::allgather, "circulant",
                                               allgather_circulant};
const Algorithm registered_allgatherv_circulant{Operation::allgatherv, "circulant",
                                                allgather_circulant};

}  // namespace tessera::coll::basic
