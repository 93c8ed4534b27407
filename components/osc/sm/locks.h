// SPDX-License-Identifier: BSD-3-Clause
// The locks of a window in shared memory, after the two-level scheme of foMPI (Gerstenberger,
// Besta, Hoefler: Enabling Highly-Scalable Remote Memory Access Programming with MPI-3 One Sided).
#pragma once
//
// Cost: a shared lock is one atomic operation at its target, lock_all one at the head, whatever the
// number of processes; an exclusive lock is one at each. An exclusive lock registers at the head
// first, which excludes lock_all, and gives that up again when it finds its target locked: nobody
// waits while he holds a part, so no order of requests can deadlock.
//
// Fairness. Readers let waiting writers go first, and writers waiting lock_alls, but only for a
// while: a reader whose grant other readers depend on must come in, whoever waits.
//
#include "control.h"

namespace tessera::osc::sm {

class Locks {
 public:
  explicit Locks(Control& control) noexcept : control_(control) {}
  Status exclusive(int rank) noexcept;
  Status shared(int rank) noexcept;
  Status all() noexcept;
  void release_exclusive(int rank) noexcept;
  void release_shared(int rank) noexcept;
  void release_all() noexcept;

 private:
  bool try_exclusive(int rank) noexcept;
  bool try_shared(int rank) noexcept;
  bool try_all() noexcept;
  [[gnu::cold]] Status await_exclusive(int rank) noexcept;
  [[gnu::cold]] Status await_shared(int rank) noexcept;

  Control& control_;
};

// The lock of accumulates at the places of one target that share a stripe.
class StripeLock {
 public:
  StripeLock(Control& control, std::atomic<std::uint32_t>& word, int me) noexcept;
  ~StripeLock() { word_.store(0, std::memory_order_release); }
  StripeLock(const StripeLock&) = delete;
  StripeLock& operator=(const StripeLock&) = delete;

 private:
  std::atomic<std::uint32_t>& word_;
};

}  // namespace tessera::osc::sm
