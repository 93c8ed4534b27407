// SPDX-License-Identifier: BSD-3-Clause
// What this engine has: its frameworks with their interface numbers, and its own parameters.
#pragma once

#include <span>

#include "framework/frameworks.h"

namespace tessera {

// Used alike by the engine, by mpiexec and by ompi-info.
std::span<const FrameworkInfo> engine_frameworks() noexcept;
std::span<const ParamDecl> engine_params() noexcept;

}  // namespace tessera
