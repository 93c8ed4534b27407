// SPDX-License-Identifier: BSD-3-Clause
// Where the processes of a shared segment run, and how far they have come: RankState, CpuPeers.
#pragma once
//
// Contract. Where processes take turns on a CPU, one that waits must know whether giving up its
// turn can help. Each says in its RankState where it runs and in which round it waits. A process on
// the same CPU that has come less far needs the CPU: the turn goes to it. When all of them wait as
// well, what is missing comes from another CPU, and whoever yields only misses it: it keeps its
// turn for about as long as it takes to give the CPU to another process.
//
// Even shares. The scheduler can leave three of four such processes on one CPU and one on the other
// for many milliseconds: to it they are all about equally busy. Then the last of the three moves,
// as in decision 0018: its affinity stays what it was.
//
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tessera/clock.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

using Round = std::uint64_t;

// One process's. Written by it alone.
struct alignas(kCacheLine) RankState {
  std::atomic<Round> read;        // the last round that it left
  std::atomic<Round> waits;       // the last round in which it had to wait for long
  std::atomic<std::int32_t> cpu;  // where that was, + 1; 0: not known
  // Read by it alone; here so that communicators without a segment pay not.
  Round left;         // the last round that it has left, or will when it holds none before
  Round held;         // the first round that it holds; 0: none
  Round nonblocking;  // the last round of a nonblocking call
};

class CpuPeers {
 public:
  // The state of process i is `stride` bytes after that of process i - 1; `even`: the processes are
  // all of the machine's that belong to the job, so that they may spread themselves.
  struct RankStates {
    std::byte* first;
    std::uint32_t stride;
    int processes;
    RankState& of(int rank) const noexcept {
      return *reinterpret_cast<RankState*>(first + static_cast<std::size_t>(rank) * stride);
    }
  };
  // `switch_ns`: what it takes to give the CPU to another process (MachineFigures::yield_ns).
  CpuPeers(const RankStates& states, int rank, bool even, std::uint32_t switch_ns) noexcept
      : states_(states),
        rank_(rank),
        even_(even),
        patience_ns_(static_cast<std::uint16_t>(std::min(switch_ns, kMostPatience))) {}

  // This process begins to wait in `round`.
  void wait_in(Round round) noexcept;
  // Whether a process on this CPU has not come as far.
  bool behind(Round round) const noexcept {
    for (std::uint64_t left = same_cpu_; left != 0; left &= left - 1) {
      if (states_.of(std::countr_zero(left)).waits.load(std::memory_order_relaxed) < round)
        return true;
    }
    return false;
  }
  // Keeps the turn until there() holds, for `switch_ns` at most, if nobody on this CPU is behind.
  // Whether there() holds.
  template <class There>
  bool keep_turn(Round round, There there) const noexcept {
    constexpr int kLooks = 8;  // before each look at the clock, which takes as long as a few
    if (behind(round)) return false;
    std::uint64_t now = 0, end = 0;
    do {
      for (int i = 0; i < kLooks; ++i) {
        if (there()) return true;
        cpu_relax();
      }
      now = now_ns();
      if (end == 0) end = now + patience_ns_;
    } while (now < end);
    return there();
  }
  // Whether a process on this CPU has not left `round`.
  bool inside(Round round) const noexcept {
    for (std::uint64_t left = same_cpu_; left != 0; left &= left - 1) {
      if (states_.of(std::countr_zero(left)).read.load(std::memory_order_relaxed) < round)
        return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kMostPatience = 0xffff;
  static constexpr int kMost = 64;  // processes that are looked at
  // Measured: docs/decisions/0065.
  static constexpr std::uint32_t kWaitsPerLook = 64;

  void look(std::int32_t cpu) noexcept;
  void even_out(std::int32_t cpu) noexcept;

  RankStates states_;
  int rank_;
  bool even_;
  std::uint16_t patience_ns_;
  std::int32_t cpu_ = 0;
  std::uint32_t waits_to_look_ = 0;
  std::uint32_t looks_to_move_ = 4;
  std::uint32_t rest_ = 16;     // looks between two moves
  std::uint64_t same_cpu_ = 0;  // a bit for each rank on this CPU
};

}  // namespace tessera::coll::sm
