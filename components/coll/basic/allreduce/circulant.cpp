// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in which the vector is reduced block by block and the blocks are collected, both along
// the edges of a circulant graph. For operations that commute. Nothing is folded: as good for any
// number of processes as for a power of two. Cost for n bytes: 2 ceil(log2 p) latency + 2 n (p - 1)
// / p / bandwidth + n (p - 1) / p / reduction speed. Source: Traeff, "Optimal, non-pipelined
// reduce-scatter and allreduce algorithms", arXiv:2410.14234, 2024.
#include "circulant.h"

#include "algorithms.h"

namespace tessera::coll::basic {

static void allreduce_circulant(const Call& call, Schedule& schedule) {
  std::vector<Count> begins;
  for (int i = 0; i <= call.size; ++i) begins.push_back(cut(call.receive.count, call.size, i));
  Circulant circulant(schedule, call.rank, std::move(begins), result(call));
  circulant.collect(circulant.reduce(contribution(call)));
}

const Algorithm registered_allreduce_circulant{Operation::allreduce, "circulant",
                                               allreduce_circulant, kCommutes};

}  // namespace tessera::coll::basic
