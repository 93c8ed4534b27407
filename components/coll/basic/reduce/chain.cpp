// SPDX-License-Identifier: BSD-3-Clause
// Reduction along chains of processes, in segments: each process adds its contribution to a segment
// while the next one arrives. `radix` is the number of chains that end at the root; a pipeline is
// one chain with short segments. An operation that does not commute is reduced towards rank 0,
// which passes the result on to the root. Cost for n bytes in s segments and c chains: (ceil((p -
// 1) / c) + s c) (latency + n / s / bandwidth + n / s / reduction speed); one step more per segment
// for the detour.
#include "algorithms.h"
#include "tree_reduction.h"

namespace tessera::coll::basic {

static void reduce_chain(const Call& call, const Tuning& tuning, Schedule& schedule) {
  const int first = front(call);
  reduce_along(call, schedule, split_node(number_from(call, first), call.size, tuning.radix, 1),
               first, tuning.segment);
}

static void reduce_pipeline(const Call& call, const Tuning& tuning, Schedule& schedule) {
  reduce_chain(call, {.segment = tuning.segment, .radix = 1}, schedule);
}

const Algorithm registered_reduce_chain{
    Operation::reduce, "chain", reduce_chain, kAlways, {.segment = 64 * 1024, .radix = 4}};
const Algorithm registered_reduce_pipeline{
    Operation::reduce, "pipeline", reduce_pipeline, kAlways, {.segment = 16 * 1024}};

}  // namespace tessera::coll::basic
