// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds of a steady clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace tessera::coll::check {

inline std::uint64_t now_ns() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds(1));
}

}  // namespace tessera::coll::check
