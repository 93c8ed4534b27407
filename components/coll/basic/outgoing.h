// SPDX-License-Identifier: BSD-3-Clause
// What a process sends in an alltoall: blocks of the send buffer, or, in place, copies of what the
// receive buffer holds.
#pragma once

#include <vector>

#include "blocks.h"

namespace tessera::coll::basic {

struct Outgoing {
  Buffer data;
  StepId saved = kNoStep;  // after this step, data is there and the block it was copied from may be
                           // overwritten
};

// One per rank of the other side (the group itself on an intracommunicator). May throw
// std::bad_alloc.
std::vector<Outgoing> outgoing_blocks(const Call& call, Schedule& schedule);

}  // namespace tessera::coll::basic
