// SPDX-License-Identifier: BSD-3-Clause
// Single copies between processes: what one costs, and what to say when one fails.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/machine.h"
#include "tessera/status.h"

namespace tessera::btl::sm {

// As read_memory and write_memory; the text of a failure says how to do without.
Status read_process(std::int32_t pid, void* local, std::uint64_t remote,
                    std::size_t bytes) noexcept;
Status write_process(std::int32_t pid, const void* local, std::uint64_t remote,
                     std::size_t bytes) noexcept;

// Nanoseconds that the system call takes to read a word, at best: what a direct copy costs before
// its first byte.
std::uint64_t cost_of_reading() noexcept;

// The length of a message, in bytes, from which on one direct copy takes less time than two through
// the ring, where the call costs so much; what `figures` say about it, if they do, counts more.
std::size_t worth_reading(std::uint64_t cost_ns, const MachineFigures& figures) noexcept;

// Bytes. Where a cache line takes long to travel, reading may pay for shorter messages than that,
// down to this length (docs/decisions/0141).
inline constexpr std::size_t kLeastRead = 8 * 1024;

}  // namespace tessera::btl::sm
