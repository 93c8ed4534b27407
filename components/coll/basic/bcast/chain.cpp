// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along chains of processes, in segments: each process forwards a segment while the next
// one arrives. `radix` is the number of chains that start at the root; a pipeline is one chain with
// short segments. Cost for n bytes in s segments and c chains: (ceil((p - 1) / c) - 1 + s c)
// (latency + n / s / bandwidth); the root sends the data c times, every other process once.
#include "algorithms.h"
#include "streams.h"

namespace tessera::coll::basic {

static void bcast_chain(const Call& call, const Tuning& tuning, Schedule& schedule) {
  bcast_along_split(call, schedule, tuning.radix, 1, tuning.segment);
}

static void bcast_pipeline(const Call& call, const Tuning& tuning, Schedule& schedule) {
  bcast_along_split(call, schedule, 1, 1, tuning.segment);
}

const Algorithm registered_bcast_chain{
    Operation::bcast, "chain", bcast_chain, kAlways, {.segment = 64 * 1024, .radix = 1}};
const Algorithm registered_bcast_pipeline{
    Operation::bcast, "pipeline", bcast_pipeline, kAlways, {.segment = 16 * 1024}};

}  // namespace tessera::coll::basic
