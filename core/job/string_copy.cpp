// SPDX-License-Identifier: BSD-3-Clause
// The trial of the string instruction.
#include "core/job/string_copy.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tessera/clock.h"
#include "tessera/copy.h"

namespace tessera {
namespace {

enum class StringCopies : std::uint8_t { unknown, no, yes };
constinit std::atomic<StringCopies> string_copies{StringCopies::unknown};

constexpr std::size_t kBytes = 4096;
constexpr std::size_t kAhead = 16;    // where malloc(3) puts long data in its page
constexpr int kTries = 4;             // the first one touches the pages
constexpr std::uint64_t kStalls = 4;  // times as long. Measured 20 and 1: docs/decisions/0157

std::uint64_t least_ns(std::byte* to, const std::byte* from) noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t start = now_ns();
    copy_by_string(to, from, kBytes);
    least = std::min(least, now_ns() - start);
  }
  return least;
}

bool stalls() noexcept {
  alignas(kPage) std::byte from[kBytes] = {};
  alignas(kPage) std::byte to[kBytes + kAhead];
  const std::uint64_t level = least_ns(to, from);
  return least_ns(to + kAhead, from) > kStalls * level;
}

}  // namespace

bool string_copies_stall_here() noexcept {
  const StringCopies known = string_copies.load(std::memory_order_relaxed);
  if (known != StringCopies::unknown) return known == StringCopies::yes;
  const bool found = stalls();
  assume_string_copies_stall(found);
  return found;
}

void assume_string_copies_stall(bool stall) noexcept {
  string_copies.store(stall ? StringCopies::yes : StringCopies::no, std::memory_order_relaxed);
}

void copy_without_stall(void* to, const void* from, std::size_t bytes) noexcept {
  if (string_copies_stall_here())
    copy_by_vectors(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

bool kernel_copy_stalls(const void* to, const void* from, std::size_t bytes) noexcept {
  return bytes >= kPage && string_copy_stalls(to, from) && string_copies_stall_here();
}

}  // namespace tessera
