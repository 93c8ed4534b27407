// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a window write for each other in shared memory: Control.
#pragma once
//
// Contract. The memory starts with a Head, then one Slot per process, then a matrix of the posts:
// post(origin, target) counts how often target has posted for origin, and lies in a row of the
// origin, so that a start looks at one row. All of it is zero at first.
//
// Waiting. A short spin, or a few turns where processes share CPUs; then the engine's adaptive
// wait. A process counts itself among the sleepers first; a process that changes something looks at
// that count afterwards, and rings the doorbells of all if it is not zero. Neither needs a fence: a
// process that goes to sleep makes the others' stores and loads take place in order (Doorbell,
// peer.h).
//
#include <atomic>
#include <cstdint>

#include "tessera/cpu.h"
#include "tessera/osc.h"

namespace tessera::osc::sm {

struct alignas(kCacheLine) Head {
  // Who has locked the window beyond one target: holders of lock_all in the lower half, of
  // exclusive locks in the upper one. One half is always 0.
  std::atomic<std::uint64_t> holders;
  std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint32_t> all_waiting;                  // for lock_all
  alignas(kCacheLine) std::atomic<std::uint32_t> arrived;  // at the fence
  std::atomic<std::uint32_t> round;
};

inline constexpr int kStripes = 32;

struct alignas(kCacheLine) Slot {
  std::atomic<std::uint32_t> lock;             // kExclusive, or the number of shared holders
  std::atomic<std::uint32_t> writers;          // that wait for it
  std::atomic<std::uint32_t> completed;        // by origins, over the life of the window
  std::atomic<std::uint32_t> regions_version;  // odd while the table changes
  std::atomic<std::uint64_t> regions_address;
  std::atomic<std::uint64_t> regions_count;
  alignas(
      kCacheLine) std::atomic<std::uint32_t> stripes[kStripes];  // locks of accumulates; rank + 1
};

class Control {
 public:
  static std::size_t bytes(int processes) noexcept;

  Control(std::byte* memory, Window& window) noexcept;

  Head& head() const noexcept { return *reinterpret_cast<Head*>(memory_); }
  Slot& slot(int rank) const noexcept { return slots_[rank]; }
  std::atomic<std::uint32_t>& post(int origin, int target) const noexcept {
    return posts_[static_cast<std::size_t>(origin) * static_cast<std::size_t>(processes_) +
                  static_cast<std::size_t>(target)];
  }

  // After a store for which others may sleep.
  void changed() const noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (head().sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      ring();
  }
  // Until holds(); `what`, of `rank`, is what that is. peer_failed: a process of the window is
  // gone.
  template <class Holds>
  Status wait(Holds holds, Waiting::What what, int rank = kAll) noexcept {
    for (int i = 0; i < spins_; ++i) {
      if (holds()) return {};
      cpu_relax();
    }
    return wait_in_engine([](void* self) { return (*static_cast<Holds*>(self))(); }, &holds, what,
                          rank);
  }
  // Lets others go first while they wait, but not for long, and never asleep: nobody would ring.
  template <class OthersWait>
  void let_go_first(OthersWait others_wait) noexcept {
    const bool in_turns = spins_ == 1;
    for (int looks = in_turns ? kCourteousTurns : kCourteousLooks; looks > 0 && others_wait();
         --looks)
      give_way(in_turns);
  }
  // All processes.
  Status barrier() noexcept;
  // Whether a process of the window is dead; and which, as a failure.
  bool lost() const noexcept;
  Status a_process_failed() const noexcept;

 private:
  static constexpr int kCourteousLooks = 2'000;
  static constexpr int kCourteousTurns = 10;  // of processes that share CPUs

  void ring() const noexcept;
  void give_way(bool in_turns) noexcept;
  Status wait_in_engine(bool (*holds)(void*), void* self, Waiting::What what, int rank) noexcept;

  std::byte* memory_;
  Window& window_;
  int processes_;
  Slot* slots_;
  std::atomic<std::uint32_t>* posts_;
  int spins_;
};

}  // namespace tessera::osc::sm
