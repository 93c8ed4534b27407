// SPDX-License-Identifier: BSD-3-Clause
// Threads of one process that sleep while another one makes progress for them: WaitingThreads.
#pragma once
//
// Contract. With several threads in blocking calls, one at a time makes progress; the others sleep,
// each on a word of its own. All functions are called under the engine's lock, but those that say
// otherwise. A thread about to release the lock asks for the conditions of the sleepers (settle);
// after the release it wakes those whose condition holds. Since conditions change under the lock
// only, or are found to have changed by polling under the lock, no wake-up is lost. Of a sleeper
// whose condition nobody else may ask, it is said every time that it might hold.
//
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "tessera/peer.h"

namespace tessera {

struct WaitNote;

pid_t this_thread() noexcept;  // as the kernel numbers it

// One waiting thread; lives on its stack. `note`: of the call it is in, or null.
class WaitingThread {
 public:
  explicit WaitingThread(const Progress::Condition& condition,
                         const WaitNote* note = nullptr) noexcept
      : condition_(condition), note_(note) {}
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;

  // Asks, unless it is known to hold. True also where nobody else may ask: then it is worth a look.
  bool look() noexcept;
  // Somebody has found the condition to hold; it must not be asked again.
  bool satisfied() const noexcept { return satisfied_; }
  const WaitNote* note() const noexcept { return note_; }
  pid_t thread() const noexcept { return thread_; }

  void sleep() noexcept;  // without the lock; until wake()
  void wake() noexcept;   // without the lock; the last use of this object

 private:
  friend class WaitingThreads;
  Progress::Condition condition_;
  const WaitNote* note_;
  const pid_t thread_ = this_thread();
  WaitingThread* next_ = nullptr;
  std::atomic<std::uint32_t> awake_{0};
  bool satisfied_ = false;
};

class WaitingThreads {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  void add(WaitingThread& thread) noexcept;
  // Takes out those that shall wake; wake_all() follows when the lock is released.
  WaitingThread* settle() noexcept;
  // Takes out the one that has slept longest: it shall make progress. Null: nobody sleeps.
  WaitingThread* next_to_poll() noexcept;
  static void wake_all(WaitingThread* threads) noexcept;  // without the lock
  template <class Visit>
  void for_each(Visit&& visit) noexcept {
    for (WaitingThread* thread = first_; thread != nullptr; thread = thread->next_) visit(*thread);
  }

 private:
  WaitingThread* first_ = nullptr;
  WaitingThread** end_ = &first_;
};

}  // namespace tessera
