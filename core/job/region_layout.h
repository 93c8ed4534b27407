// SPDX-License-Identifier: BSD-3-Clause
// Where parts of the job segment may begin.
#pragma once

#include <cstdint>

#include "tessera/cpu.h"

namespace tessera {

inline constexpr std::uint64_t kRegionAlignment = 64 * 1024;  // a page on every machine

}  // namespace tessera
