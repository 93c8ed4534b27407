// SPDX-License-Identifier: BSD-3-Clause
// Pieces of shared memory, taken unit by unit.
#include "arena.h"

#include <algorithm>

namespace tessera::coll::sm {

namespace {

constexpr std::size_t units_of(std::size_t bytes) noexcept {
  return (bytes + Arena::kUnit - 1) / Arena::kUnit;
}

}  // namespace

std::size_t Arena::units() const noexcept {
  return std::min((region_.size() - kTableBytes) / kUnit, kTableBytes);
}

// Claims units one by one; the number claimed.
std::size_t Arena::claim(std::size_t first, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t expected = 0;
    if (!taken()[first + i].compare_exchange_strong(expected, 1, std::memory_order_acquire))
      return i;
  }
  return count;
}

void Arena::release(std::size_t first, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) taken()[first + i].store(0, std::memory_order_release);
}

std::optional<std::uint64_t> Arena::allocate(std::size_t bytes) noexcept {
  if (region_.size() < kTableBytes || !region_.commit(0, kTableBytes).ok()) return {};
  const std::size_t count = units_of(bytes);
  for (std::size_t first = 0; first + count <= units();) {
    const std::size_t claimed = claim(first, count);
    if (claimed < count) {
      release(first, claimed);
      first += claimed + 1;
      continue;
    }
    const std::size_t offset = kTableBytes + first * kUnit;
    if (region_.commit(offset, bytes).ok()) return offset;
    release(first, count);
    return {};
  }
  return {};
}

void Arena::give_back(std::uint64_t offset, std::size_t bytes) noexcept {
  release((offset - kTableBytes) / kUnit, units_of(bytes));
}

}  // namespace tessera::coll::sm
