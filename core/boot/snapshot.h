// SPDX-License-Identifier: BSD-3-Clause
// Parameters and catalog, read once for all ranks of a node.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/status.h"

namespace tessera {

// As Microkernel::snapshot(), for a job of `ranks`. `aloud`: prints what is wrong with parameters
// but no failure.
Result<std::string> take_snapshot(std::uint32_t ranks, bool aloud) noexcept;

}  // namespace tessera
