// SPDX-License-Identifier: BSD-3-Clause
// Copies of data within a process: short ones without a call, long ones through the caches or past
// them, and never as slowly as a processor can.
#pragma once
//
// Contract. A store to a line that no cache holds reads the line from memory, and the line is
// written back later; a non-temporal store writes it once and reads nothing. Where a cache does
// hold the line it takes up to twice as long. Nobody can ask a cache. So a process remembers where
// it has copied long data to: the caches have forgotten a destination once what the process has
// copied since, and the sources of that, are more than its share of the last-level cache; one that
// is not known counts as cached. What is copied does not depend on any of this
// (docs/decisions/0153).
//
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tessera/cpu.h"

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

// Whether the string instruction, by which the C library and the kernel copy long data, takes a
// nanosecond for a byte or two: on an AMD EPYC of the third or fourth generation, where the
// destination begins a little further on in its page than the source in its own
// (docs/decisions/0157).
inline bool string_copy_stalls(const void* to, const void* from) noexcept {
  constexpr std::uintptr_t kLittle = 64;
  const auto ahead = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  return ahead % kPage - 1 < kLittle - 1;
}
// The string instruction; elsewhere than on x86-64 the C library.
inline void copy_by_string(void* to, const void* from, std::size_t bytes) noexcept {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  std::memcpy(to, from, bytes);
#endif
}
// From about so many bytes on the C library uses that instruction.
inline constexpr std::size_t kStringCopy = 2 * 1024;

// By loads and stores of vectors; elsewhere than on x86-64 an ordinary copy.
void copy_by_vectors(void* to, const void* from, std::size_t bytes) noexcept;

// For data that lies so in its page: by vectors if the instruction turns out to stall on this
// processor, which is tried once in a process and takes some ten microseconds; else an ordinary
// copy.
void copy_without_stall(void* to, const void* from, std::size_t bytes) noexcept;

// Whether a copy by the kernel, of data that lies so in its page, stalls on this processor. Tried
// once in a process, as above. The data then had better go through a BounceBuffer.
bool kernel_copy_stalls(const void* to, const void* from, std::size_t bytes) noexcept;

// Memory on the stack that lies in its page as what is at `like` does in its own: the kernel copies
// between the two, and copy_near() does the rest, at most kBytes at a time.
class BounceBuffer {
 public:
  static constexpr std::size_t kBytes = 64 * 1024;
  explicit BounceBuffer(std::uint64_t like) noexcept : start_(room_ + like % kPage) {}
  BounceBuffer(const BounceBuffer&) = delete;
  BounceBuffer& operator=(const BounceBuffer&) = delete;
  std::byte* start() noexcept { return start_; }

 private:
  alignas(kPage) std::byte room_[kBytes + kPage];
  std::byte* start_;
};

// 8 to 16 bytes.
inline void copy_two_words(void* to, const void* from, std::size_t bytes) noexcept {
  std::uint64_t first, last;
  const std::size_t last_at = bytes - sizeof last;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, static_cast<const std::byte*>(from) + last_at, sizeof last);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(static_cast<std::byte*>(to) + last_at, &last, sizeof last);
}

// The regions do not overlap. In either way the data is there for other threads and processes once
// the caller tells them of it.
inline void copy_memory(void* to, const void* from, std::size_t bytes, Caches caches) noexcept {
  if (caches == Caches::passed) return copy_past_caches(to, from, bytes);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (bytes - kWord <= kWord) return copy_two_words(to, from, bytes);  // saves a call
  if (bytes >= kStringCopy && string_copy_stalls(to, from)) [[unlikely]]
    return copy_without_stall(to, from, bytes);
  std::memcpy(to, from, bytes);
}
inline void copy_memory(void* to, const void* from, std::size_t bytes) noexcept {
  copy_memory(to, from, bytes, caches_for(to, bytes));
}
// Through the caches: for what is read or written soon after.
inline void copy_near(void* to, const void* from, std::size_t bytes) noexcept {
  copy_memory(to, from, bytes, Caches::used);
}

}  // namespace tessera
