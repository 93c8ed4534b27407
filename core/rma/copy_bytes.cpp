// SPDX-License-Identifier: BSD-3-Clause
// Copies between the memory of windows and that of programs, which may overlap.
#include <cstdint>
#include <cstring>

#include "tessera/copy.h"
#include "tessera/osc.h"

namespace tessera::osc {

void copy_longer_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  const auto ahead = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  const bool apart = ahead >= bytes && -ahead >= bytes;
  apart ? copy_near(to, from, bytes) : static_cast<void>(std::memmove(to, from, bytes));
}

}  // namespace tessera::osc
