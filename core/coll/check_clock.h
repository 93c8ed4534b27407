// SPDX-License-Identifier: BSD-3-Clause
// The clock of the detection of mismatches.
#pragma once

#include <chrono>
#include <cstdint>

namespace tessera::coll {

inline std::uint64_t clock_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace tessera::coll
