// SPDX-License-Identifier: BSD-3-Clause
// Copies into a ring, inline: headers and small payloads in registers, larger payloads by whole
// lines.
#pragma once
//
// All bytes of a short copy are loaded before the first is stored: between the first and the last
// store into a line that the receiver polls, nothing may stall, or the line travels twice.
//
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera::btl::sm {

template <class Unit>
inline Unit load(const std::byte* from) noexcept {
  Unit unit;
  std::memcpy(&unit, from, sizeof unit);
  return unit;
}

template <class Unit>
inline void store(std::byte* to, const Unit& unit) noexcept {
  std::memcpy(to, &unit, sizeof unit);
}

struct Block16 {
  std::uint64_t words[2];
};

// sizeof(Unit) <= bytes <= 2 * sizeof(Unit): the two ends, which may overlap.
template <class Unit>
inline void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const Unit head = load<Unit>(from);
  const Unit tail = load<Unit>(from + bytes - sizeof(Unit));
  store(to, head);
  store(to + bytes - sizeof(Unit), tail);
}

inline void copy_33_to_64(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const Block16 a = load<Block16>(from);
  const Block16 b = load<Block16>(from + 16);
  const Block16 c = load<Block16>(from + bytes - 32);
  const Block16 d = load<Block16>(from + bytes - 16);
  store(to, a);
  store(to + 16, b);
  store(to + bytes - 32, c);
  store(to + bytes - 16, d);
}

// 16 to 32 bytes, by words: a header has just been written by words, and wider loads would wait for
// several stores.
inline void copy_16_to_32(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const auto a = load<std::uint64_t>(from);
  const auto b = load<std::uint64_t>(from + 8);
  const auto c = load<std::uint64_t>(from + bytes - 16);
  const auto d = load<std::uint64_t>(from + bytes - 8);
  store(to, a);
  store(to + 8, b);
  store(to + bytes - 16, c);
  store(to + bytes - 8, d);
}

// At most 64 bytes.
inline void copy_short(std::byte* to, const void* source, std::size_t bytes) noexcept {
  const auto* from = static_cast<const std::byte*>(source);
  if (bytes > 32) return copy_33_to_64(to, from, bytes);
  if (bytes >= 16) return copy_16_to_32(to, from, bytes);
  if (bytes >= 8) return copy_ends<std::uint64_t>(to, from, bytes);
  if (bytes >= 4) return copy_ends<std::uint32_t>(to, from, bytes);
  if (bytes >= 2) return copy_ends<std::uint16_t>(to, from, bytes);
  if (bytes == 1) *to = *from;
}

// `to` is the start of a line. The C library takes a string instruction from some length on:
// long_copy.h.
inline void copy_payload(std::byte* to, const void* source, std::size_t bytes) noexcept {
  const auto* from = static_cast<const std::byte*>(source);
  for (; bytes > 64; bytes -= 64, to += 64, from += 64) copy_33_to_64(to, from, 64);
  copy_short(to, from, bytes);
}

}  // namespace tessera::btl::sm
