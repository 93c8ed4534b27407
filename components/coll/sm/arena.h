// SPDX-License-Identifier: BSD-3-Clause
// Where communicators get their part of the job's shared memory from, and give it back: Arena.
#pragma once
//
// Contract. All processes of the machine share the arena's memory: first a table with one byte per
// unit, then the units. Any process may allocate, any may give back; no lock is taken, so that a
// process that dies hurts nobody. A chunk is named by its offset, which is the same everywhere.
//
#include <atomic>
#include <optional>

#include "tessera/peer.h"

namespace tessera::coll::sm {

class Arena {
 public:
  static constexpr std::size_t kUnit = 64 * 1024;
  // Of the memory, so much is the table's; a multiple of the page size.
  static constexpr std::size_t kTableBytes = 16 * 1024;

  explicit Arena(SharedRegion region) noexcept : region_(region) {}

  // `bytes` of committed memory, or nothing when there is no room. What was used before is not
  // zero.
  std::optional<std::uint64_t> allocate(std::size_t bytes) noexcept;
  void give_back(std::uint64_t offset, std::size_t bytes) noexcept;
  std::byte* at(std::uint64_t offset) const noexcept { return region_.base() + offset; }

 private:
  using Taken = std::atomic<std::uint8_t>;  // one per unit
  Taken* taken() const noexcept { return reinterpret_cast<Taken*>(region_.base()); }
  std::size_t units() const noexcept;
  std::size_t claim(std::size_t first, std::size_t count) noexcept;
  void release(std::size_t first, std::size_t count) noexcept;

  SharedRegion region_;
};

}  // namespace tessera::coll::sm
