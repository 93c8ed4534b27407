// SPDX-License-Identifier: BSD-3-Clause
// Reduction along a tree of k-nomials, in segments if asked to. `radix` is k. An operation that
// does not commute is reduced towards rank 0, which passes the result on to the root. Cost for n
// bytes: ceil(log_k p) rounds of k - 1 messages that arrive side by side and are reduced one after
// the other; one message more for the detour.
#include "algorithms.h"
#include "tree_reduction.h"

namespace tessera::coll::basic {

static void reduce_knomial(const Call& call, const Tuning& tuning, Schedule& schedule) {
  const int first = front(call);
  reduce_along(call, schedule, knomial_node(number_from(call, first), call.size, tuning.radix),
               first, tuning.segment);
}

const Algorithm registered_reduce_knomial{
    Operation::reduce, "knomial", reduce_knomial, kAlways, {.segment = kOneSegment, .radix = 4}};

}  // namespace tessera::coll::basic
