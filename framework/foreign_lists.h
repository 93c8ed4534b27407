// SPDX-License-Identifier: BSD-3-Clause
// Include and exclude lists that were written for another MPI.
#pragma once

#include <span>
#include <string>

#include "framework/param_registry.h"
#include "framework/selection.h"

namespace tessera {

// In a list from the environment of another MPI, or from a file of the `name = value` kind:
// replaces what that MPI calls a component by the name it has here.
void adopt_foreign_names(const Parameter& list, Selection& selection);

// Whether the list asks for components that are not known here but may be elsewhere: any name in
// the environment of another MPI; in a file of the `name = value` kind those that Open MPI has.
bool is_foreign(const Parameter& list, const Selection& selection,
                std::span<const std::string> known);

}  // namespace tessera
