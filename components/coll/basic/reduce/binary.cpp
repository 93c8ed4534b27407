// SPDX-License-Identifier: BSD-3-Clause
// Reduction along a balanced binary tree, in segments. An operation that does not commute is
// reduced towards rank 0, which passes the result on to the root. Cost for n bytes in s segments: 2
// (log2 p + s) (latency + n / s / bandwidth + n / s / reduction speed); one step more per segment
// for the detour.
#include "algorithms.h"
#include "tree_reduction.h"

namespace tessera::coll::basic {

static void reduce_binary(const Call& call, const Tuning& tuning, Schedule& schedule) {
  const int first = front(call);
  reduce_along(call, schedule, split_node(number_from(call, first), call.size, 2, 2), first,
               tuning.segment);
}

const Algorithm registered_reduce_binary{
    Operation::reduce, "binary", reduce_binary, kAlways, {.segment = 32 * 1024}};

}  // namespace tessera::coll::basic
