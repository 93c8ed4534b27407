// SPDX-License-Identifier: BSD-3-Clause
// Numbers of ranks and of CPUs, as users write them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera::launcher {

// A whole number of at least 1 and at most 65,536.
Result<std::uint32_t> parse_count(std::string_view text);

// A number of a CPU, or a range "3-5" as 3, 4, 5. `into` grows only on success.
Status parse_cpus(std::string_view word, std::vector<std::uint32_t>& into);

}  // namespace tessera::launcher
