// SPDX-License-Identifier: BSD-3-Clause
// The state of the checking library: Checker.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <string>

#include "check/ledger.h"
#include "check/pending.h"
#include "check/sends.h"

namespace tessera::check {

// One per process, never destroyed: callbacks of the program may call MPI until the very end.
class Checker {
 public:
  static Checker& instance();

  Ledger ledger;
  Pending pending;
  Sends sends;

  // The World Model has begun with this level of thread support.
  void began(int thread_level, const Site& site);
  // It has ended.
  void ended();
  void session_ended();
  bool in_world() const noexcept { return in_world_.load(std::memory_order_acquire); }
  std::size_t sessions() const { return ledger.count_of(Kind::session); }
  // A session that is still open at the end of the process is told there.
  void watch_exit();
  void thread_enters(const Site& site);
  void thread_leaves() noexcept { inside_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  // Once: threads that may not call do so often.
  void complain_of_thread(const Site& site, const std::string& text);
  void tell_what_is_left();
  std::atomic<bool> complained_{false};
  std::atomic<bool> in_world_{false};
  std::atomic<pid_t> watched_process_{0};
  std::atomic<int> level_{MPI_THREAD_MULTIPLE};
  pthread_t main_{};
  const char* init_ = "MPI_Init";
  std::atomic<int> inside_{0};             // threads
  std::atomic<const char*> function_{""};  // that one of them has called
};

// Marks that this thread is in a reduction operation of the program, made at `made`.
class InOperation {
 public:
  explicit InOperation(const Site& made) noexcept;
  ~InOperation();
  InOperation(const InOperation&) = delete;
  InOperation& operator=(const InOperation&) = delete;

 private:
  const Site* before_;
};

}  // namespace tessera::check
