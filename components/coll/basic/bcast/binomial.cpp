// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a tree of k-nomials, in segments if asked to. `radix` is k; 2 is the binomial
// tree. Cost for n bytes: ceil(log_k p) rounds of k - 1 messages, each latency + n / bandwidth; in
// s segments of n / s bytes, the root sends s messages to each of its (k - 1) ceil(log_k p)
// children.
#include "algorithms.h"
#include "streams.h"
#include "trees.h"

namespace tessera::coll::basic {

static void bcast_binomial(const Call& call, const Tuning& tuning, Schedule& schedule) {
  const Count bytes = result(call).bytes();
  if (Segments(bytes, bytes, tuning.segment).number() == 1) {
    bcast_on(schedule, everybody(call), call.root, result(call), kNoStep);  // allocates nothing
  } else {
    bcast_along(call, schedule, knomial_node(number_of(call), call.size, 2), tuning.segment);
  }
}

static void bcast_knomial(const Call& call, const Tuning& tuning, Schedule& schedule) {
  bcast_along(call, schedule, knomial_node(number_of(call), call.size, tuning.radix),
              tuning.segment);
}

const Algorithm registered_bcast_binomial{
    Operation::bcast, "binomial", bcast_binomial, kAlways, {.segment = kOneSegment}};
const Algorithm registered_bcast_knomial{
    Operation::bcast, "knomial", bcast_knomial, kAlways, {.segment = kOneSegment, .radix = 4}};

}  // namespace tessera::coll::basic
