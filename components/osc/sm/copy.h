// SPDX-License-Identifier: BSD-3-Clause
// Moving data between layouts, within the memory that this process can reach.
#pragma once

#include <cstring>

#include "tessera/osc.h"

namespace tessera::osc::sm {

struct Layout {
  void* buffer;
  Count count;
  const Datatype* type;
};

// Both have the same number of bytes of data; they do not overlap.
void copy_layouts(const Layout& to, const Layout& from) noexcept;

// A few bytes as one store, so that nobody sees half of a word.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  const auto aligned = [&](std::size_t n) {
    return bytes == n && reinterpret_cast<std::uintptr_t>(to) % n == 0;
  };
  if (aligned(8)) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    __atomic_store_n(static_cast<std::uint64_t*>(to), word, __ATOMIC_RELAXED);
  } else if (aligned(4)) {
    std::uint32_t word;
    std::memcpy(&word, from, 4);
    __atomic_store_n(static_cast<std::uint32_t*>(to), word, __ATOMIC_RELAXED);
  } else if (aligned(2)) {
    std::uint16_t word;
    std::memcpy(&word, from, 2);
    __atomic_store_n(static_cast<std::uint16_t*>(to), word, __ATOMIC_RELAXED);
  } else {
    std::memmove(to, from, bytes);
  }
}

}  // namespace tessera::osc::sm
