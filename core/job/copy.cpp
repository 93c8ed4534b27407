// SPDX-License-Identifier: BSD-3-Clause
// Copies past the caches, and the history that tells when they pay.
#include "tessera/copy.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/job/copy_history.h"
#include "core/machine/caches.h"
#include "tessera/cpu.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera {
namespace {

constexpr std::uint64_t kUnknown = 0;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

struct State {
  CopyHistory history;
  std::atomic<std::uint64_t> share{kNever};  // bytes
  std::atomic<std::uint64_t> cache{0};       // of share_cache()
  std::atomic<std::uint32_t> processes{1};
  std::atomic<std::uint32_t> usable_processors{1};
};
constinit State state;

// Asked at the first long copy: to read the system's files costs more than MPI_Init has time for.
std::uint64_t find_share() noexcept {
  machine::Cache cache = machine::last_level_cache();
  const std::uint64_t given = state.cache.load(std::memory_order_relaxed);
  if (given != 0) cache.bytes = given;
  if (cache.bytes == 0) return kNever;
  return share_of_cache(cache.bytes, cache.processors,
                        state.processes.load(std::memory_order_relaxed),
                        state.usable_processors.load(std::memory_order_relaxed));
}

}  // namespace

std::uint64_t CopyHistory::since_last(const void* to, std::size_t bytes) noexcept {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;  // an odd number: the golden ratio
  const std::uint64_t page = reinterpret_cast<std::uintptr_t>(to) / kPage;
  std::atomic<std::uint64_t>& place = places_[page * kSpread >> (64 - kBits)];
  const std::uint64_t now = copied_.fetch_add(bytes, std::memory_order_relaxed) / kPage;
  const auto before = place.load(std::memory_order_relaxed);
  place.store(page << 32 | (now & 0xFFFF'FFFF), std::memory_order_relaxed);
  if (before >> 32 != (page & 0xFFFF'FFFF)) return 0;
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(now - before)) * kPage;
}

// The processes spread over all processors, so that each cache serves as many as its processors
// have.
std::uint64_t share_of_cache(std::uint64_t bytes, std::uint32_t processors, std::uint32_t processes,
                             std::uint32_t usable_processors) noexcept {
  const std::uint64_t all = std::max(1u, usable_processors);
  const std::uint64_t here = std::max(1u, processes);
  const std::uint64_t sharing = (here * std::max(1u, processors) + all - 1) / all;
  return bytes / std::clamp<std::uint64_t>(sharing, 1, here);
}

void share_cache(std::uint32_t processes, std::uint32_t usable_processors,
                 std::uint64_t cache) noexcept {
  state.processes.store(processes, std::memory_order_relaxed);
  state.usable_processors.store(usable_processors, std::memory_order_relaxed);
  state.cache.store(cache, std::memory_order_relaxed);
  state.share.store(kUnknown, std::memory_order_relaxed);
}

#if defined(__SSE2__)

namespace {

// From the start of a line of the destination on, by `store`, which takes 16 bytes; what is less
// than a line, at either end, is left to the C library.
template <class Store>
void copy_by_lines(void* to, const void* from, std::size_t bytes, Store store) noexcept {
  const auto before = -reinterpret_cast<std::uintptr_t>(to) % kCacheLine;
  const std::size_t head = std::min<std::size_t>(bytes, before);
  std::memcpy(to, from, head);
  auto* next = static_cast<std::byte*>(to) + head;
  const auto* source = static_cast<const std::byte*>(from) + head;
  bytes -= head;
  for (; bytes >= kCacheLine; next += kCacheLine, source += kCacheLine, bytes -= kCacheLine) {
    const auto* words = reinterpret_cast<const __m128i*>(source);
    const __m128i a = _mm_loadu_si128(words), b = _mm_loadu_si128(words + 1);
    const __m128i c = _mm_loadu_si128(words + 2), d = _mm_loadu_si128(words + 3);
    auto* line = reinterpret_cast<__m128i*>(next);
    store(line, a);
    store(line + 1, b);
    store(line + 2, c);
    store(line + 3, d);
  }
  std::memcpy(next, source, bytes);
}

}  // namespace

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
  copy_by_lines(to, from, bytes, [](__m128i* at, __m128i words) { _mm_stream_si128(at, words); });
  _mm_sfence();  // non-temporal stores are not ordered with the one that tells of the data
}

void copy_by_vectors(void* to, const void* from, std::size_t bytes) noexcept {
  copy_by_lines(to, from, bytes, [](__m128i* at, __m128i words) { _mm_store_si128(at, words); });
}

#else

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

void copy_by_vectors(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

#endif

Caches caches_for_long(const void* to, std::size_t bytes) noexcept {
  std::uint64_t share = state.share.load(std::memory_order_relaxed);
  if (share == kUnknown) {
    share = find_share();
    state.share.store(share, std::memory_order_relaxed);
  }
  // What has been copied meanwhile took room for its source as well.
  return 2 * state.history.since_last(to, bytes) >= share ? Caches::passed : Caches::used;
}

}  // namespace tessera
