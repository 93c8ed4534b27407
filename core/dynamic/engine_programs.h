// SPDX-License-Identifier: BSD-3-Clause
// Processes that an engine starts: a SpawnOrder as it gets it, engine_programs().
#pragma once

#include <vector>

#include "core/dynamic/spawn_order.h"
#include "tessera/boot.h"

namespace tessera {

// The name of the variable with the port at which the parents wait.
inline constexpr const char* kParentVariable = "TESSERA_PARENT";

// Engines end a whole job for a program that is not there, or say so when it is too late: so what
// can be known on this host is found out before. not_found: a program or its directory; refused: it
// may not be executed, or wants another machine. The text names program, host and reason.
Result<std::vector<boot::Program>> engine_programs(const SpawnOrder& order) noexcept;

}  // namespace tessera
