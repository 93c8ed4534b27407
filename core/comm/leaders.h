// SPDX-License-Identifier: BSD-3-Clause
// create_inter() for leaders that know both groups.
#pragma once

#include <span>

#include "core/comm/communicator.h"

namespace tessera {

// As create_inter(); at a leader the death of one of `needed` ends the meeting with the other one,
// which may have given up on its account. Empty: of the two leaders alone.
Result<Comm*> create_inter(Comm& local, int local_leader, const LeadersMeet& place,
                           std::span<Peer* const> needed);

}  // namespace tessera
