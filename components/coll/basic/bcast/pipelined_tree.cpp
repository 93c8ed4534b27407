// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a balanced tree of `radix` children each, in segments: a process forwards a
// segment to its children while the next one arrives. With two children: binary. Cost for n bytes
// in s segments and k children: (k ceil(log_k p) + k (s - 1)) (latency + n / s / bandwidth); inner
// processes send the data k times.
#include "algorithms.h"
#include "streams.h"

namespace tessera::coll::basic {

static void bcast_pipelined_tree(const Call& call, const Tuning& tuning, Schedule& schedule) {
  bcast_along_split(call, schedule, tuning.radix, tuning.radix, tuning.segment);
}

static void bcast_binary(const Call& call, const Tuning& tuning, Schedule& schedule) {
  bcast_along_split(call, schedule, 2, 2, tuning.segment);
}

const Algorithm registered_bcast_pipelined_tree{Operation::bcast,
                                                "pipelined_tree",
                                                bcast_pipelined_tree,
                                                kAlways,
                                                {.segment = 32 * 1024, .radix = 3}};
const Algorithm registered_bcast_binary{
    Operation::bcast, "binary", bcast_binary, kAlways, {.segment = 32 * 1024}};

}  // namespace tessera::coll::basic
