// SPDX-License-Identifier: BSD-3-Clause
// A schedule as a picture: draw().
#pragma once

#include "tools/schedules/simulation.h"

namespace tessera::coll::schedules {

inline constexpr int kMostLanes = 64;

// One row per rank, time to the right as simulation.h has it: what the processors do as boxes,
// messages as arrows from the port of the sender to the port of the receiver. SVG. Throws BadInput
// for more than kMostLanes ranks.
std::string draw(const Algorithm& algorithm, const Problem& problem, const Machine& machine);

}  // namespace tessera::coll::schedules
