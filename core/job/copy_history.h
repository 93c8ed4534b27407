// SPDX-License-Identifier: BSD-3-Clause
// Whether the caches have forgotten where long data is copied to (tessera/copy.h).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tessera {

// Where a process has copied to. Threads may use it at the same time; what one of them misses
// counts as cached.
class CopyHistory {
 public:
  // Bytes copied since the last copy to this address, which is one too; 0 where none is known.
  std::uint64_t since_last(const void* to, std::size_t bytes) noexcept;

 private:
  static constexpr unsigned kBits = 11;  // 2^11 places
  // In each: the page, upper half, and what had been copied then, in units of a page.
  std::array<std::atomic<std::uint64_t>, 1 << kBits> places_{};
  std::atomic<std::uint64_t> copied_{0};  // bytes
};

// The process's share of a cache of so many bytes that some `processors` share.
std::uint64_t share_of_cache(std::uint64_t bytes, std::uint32_t processors, std::uint32_t processes,
                             std::uint32_t usable_processors) noexcept;

// From now on so many processes copy on so many processors, and the last-level cache has
// `cache` bytes (0: as the system tells). Before the first call all copies go through the caches.
void share_cache(std::uint32_t processes, std::uint32_t usable_processors,
                 std::uint64_t cache) noexcept;

}  // namespace tessera
