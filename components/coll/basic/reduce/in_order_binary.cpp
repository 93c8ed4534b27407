// SPDX-License-Identifier: BSD-3-Clause
// Reduction along a binary tree whose processes lie between the ranks of their subtrees, in
// segments. The order of ranks is kept for any root, without a detour. Cost for n bytes in s
// segments: up to 2 (log2 p + 1 + s) (latency + n / s / bandwidth + n / s / reduction speed).
#include "algorithms.h"
#include "tree_reduction.h"

namespace tessera::coll::basic {

static void reduce_in_order_binary(const Call& call, const Tuning& tuning, Schedule& schedule) {
  reduce_along(call, schedule, middle_node(call.rank, call.root, call.size), 0, tuning.segment);
}

const Algorithm registered_reduce_in_order_binary{
    Operation::reduce, "in_order_binary", reduce_in_order_binary, kAlways, {.segment = 32 * 1024}};

}  // namespace tessera::coll::basic
