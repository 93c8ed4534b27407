// SPDX-License-Identifier: BSD-3-Clause
// The checksum that a component's file may carry at its end: make_seal, check_seal.
#pragma once
//
// Contract. A sealed file ends with kSealSize bytes: a mark, the number of bytes before the seal
// (little-endian), their SHA-256, eight zeros, and another mark. ELF knows nothing of bytes behind
// its last section: the dynamic linker ignores them, and tools that write the file anew (strip,
// objcopy) leave them out. Either mark is enough to take a file for a sealed one, so that one
// damaged place, wherever it is, never makes a sealed file look like one without a seal. A seal
// tells of accidents; it is no signature, since everybody can make one. Pure functions.
//
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

inline constexpr std::size_t kSealSize = 64;
using Seal = std::array<std::byte, kSealSize>;

enum class SealState : std::uint8_t { absent, right, wrong };

// What is appended to a file that has these bytes.
Seal make_seal(std::span<const std::byte> content) noexcept;

// Reads all of a sealed file, and the last bytes of one without a seal.
SealState check_seal(std::span<const std::byte> file) noexcept;

}  // namespace tessera
