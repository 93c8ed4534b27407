// SPDX-License-Identifier: BSD-3-Clause
// Parameters that belong to no framework.
#pragma once

#include <span>

#include "framework/frameworks.h"
#include "framework/param_value.h"

namespace tessera {

// Those of the microkernel itself: mca_component_path, mca_strict. The engine adds its own through
// MicrokernelOptions.
std::span<const ParamDecl> core_params() noexcept;

// What every framework has: its selection list and its verbosity. Names are full.
ParamSpec selection_param(const FrameworkInfo& framework);
ParamSpec verbose_param(std::string_view framework);

// What every component has. The name is full.
ParamSpec priority_param(const FrameworkInfo& framework, std::string_view component, int priority);

}  // namespace tessera
