// SPDX-License-Identifier: BSD-3-Clause
// Copies of long data within a process, through the caches or past them.
#pragma once
//
// Contract. A store to a line that no cache holds reads the line from memory, and the line is
// written back later; a non-temporal store writes it once and reads nothing. Where a cache does
// hold the line it takes up to twice as long. Nobody can ask a cache. So a process remembers where
// it has copied long data to: the caches have forgotten a destination once the process has copied
// more to other places than its share of the last-level cache; one that is not known counts as
// cached. What is copied does not depend on any of this (docs/decisions/0153).
//
#include <cstddef>
#include <cstring>

namespace tessera {

enum class Caches : unsigned char {
  used,   // the destination is in a cache
  passed  // by non-temporal stores
};

// Shorter data is not worth the question. An estimate: docs/decisions/0153.
inline constexpr std::size_t kLongCopy = 16 * 1024;

// How to write long data to this address. Counts as a copy to it, so ask once for each copy.
Caches caches_for_long(const void* to, std::size_t bytes) noexcept;
inline Caches caches_for(const void* to, std::size_t bytes) noexcept {
  return bytes < kLongCopy ? Caches::used : caches_for_long(to, bytes);
}

// By non-temporal stores; elsewhere than on x86-64 an ordinary copy.
void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept;

// The regions do not overlap. In either way the data is there for other threads and processes once
// the caller tells them of it.
inline void copy_memory(void* to, const void* from, std::size_t bytes, Caches caches) noexcept {
  if (caches == Caches::used) {
    std::memcpy(to, from, bytes);
  } else {
    copy_past_caches(to, from, bytes);
  }
}
inline void copy_memory(void* to, const void* from, std::size_t bytes) noexcept {
  copy_memory(to, from, bytes, caches_for(to, bytes));
}

}  // namespace tessera
