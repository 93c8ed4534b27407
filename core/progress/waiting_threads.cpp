// SPDX-License-Identifier: BSD-3-Clause
// Threads of one process that sleep while another one makes progress for them.
#include "core/progress/waiting_threads.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace tessera {

pid_t this_thread() noexcept {
  static thread_local const pid_t thread = gettid();
  return thread;
}

bool WaitingThread::look() noexcept {
  if (condition_.holds == nullptr) return true;
  if (!satisfied_) satisfied_ = condition_.holds(condition_.what);
  return satisfied_;
}

void WaitingThread::sleep() noexcept {
  while (awake_.load(std::memory_order_acquire) == 0)
    static_cast<void>(syscall(SYS_futex, &awake_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0));
}

// The thread may go on, and this object end, as soon as the store is seen; the address then wakes
// nobody, or somebody who looks again.
void WaitingThread::wake() noexcept {
  std::atomic<std::uint32_t>* const word = &awake_;
  word->store(1, std::memory_order_release);
  static_cast<void>(syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0));
}

void WaitingThreads::add(WaitingThread& thread) noexcept {
  *end_ = &thread;
  end_ = &thread.next_;
}

WaitingThread* WaitingThreads::settle() noexcept {
  WaitingThread* woken = nullptr;
  WaitingThread** link = &first_;
  while (*link != nullptr) {
    WaitingThread& thread = **link;
    if (!thread.look()) {
      link = &thread.next_;
      continue;
    }
    *link = thread.next_;
    thread.next_ = std::exchange(woken, &thread);
  }
  end_ = link;
  return woken;
}

WaitingThread* WaitingThreads::next_to_poll() noexcept {
  WaitingThread* const thread = first_;
  if (thread == nullptr) return nullptr;
  first_ = std::exchange(thread->next_, nullptr);
  if (first_ == nullptr) end_ = &first_;
  return thread;
}

void WaitingThreads::wake_all(WaitingThread* threads) noexcept {
  while (threads != nullptr) {
    WaitingThread* const next = threads->next_;
    threads->wake();
    threads = next;
  }
}

}  // namespace tessera
