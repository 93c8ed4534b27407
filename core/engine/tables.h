// SPDX-License-Identifier: BSD-3-Clause
// What this engine has: its frameworks with their interface numbers, and its own parameters.
#pragma once

#include <span>

#include "framework/frameworks.h"
#include "framework/variable.h"

namespace tessera {

// Used alike by the engine, by mpiexec and by ompi-info.
std::span<const FrameworkInfo> engine_frameworks() noexcept;
std::span<const ParamDecl> engine_params() noexcept;
// The engine's own; names without "core_".
std::span<const VariableDecl> engine_variables() noexcept;
std::span<const EventDecl> engine_events() noexcept;

// Their numbers.
inline constexpr unsigned kPeerLost = 0;
inline constexpr unsigned kTransportChosen = 1;

}  // namespace tessera
