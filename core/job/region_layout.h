// SPDX-License-Identifier: BSD-3-Clause
// Where parts of the job segment may begin.
#pragma once

#include <cstdint>

namespace tessera {

inline constexpr std::uint64_t kRegionAlignment = 64 * 1024;  // a page on every machine

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

}  // namespace tessera
