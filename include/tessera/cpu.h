// SPDX-License-Identifier: BSD-3-Clause
// What a processor has that is compiled in: cache line, page, and the pause of a loop that spins.
#pragma once
//
// Contract. Layouts of shared memory are padded to kCacheLine, so that processes do not write to
// one line, and divided at kPage, so that the kernel maps and pins whole parts. Both are part of
// those layouts: all processes of a job are of one build. What lines and pages cost is a figure of
// the machine (machine.h).
//
#include <atomic>
#include <cstddef>

namespace tessera {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kPage = 4096;

// To a multiple of `unit`, which is not 0.
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

// Tells the processor that this loop spins: a hint, and no memory barrier.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace tessera
