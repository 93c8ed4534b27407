// SPDX-License-Identifier: BSD-3-Clause
// Numbers of ranks and of CPUs, as users write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/status.h"

namespace tessera::launcher {

// A whole number of at least 1 and at most 65,536.
Result<std::uint32_t> parse_count(std::string_view text);

}  // namespace tessera::launcher
