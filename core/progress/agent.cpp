// SPDX-License-Identifier: BSD-3-Clause
// The progress agent: waits for its own end, and so serves whatever arrives meanwhile.
#include "core/progress/agent.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

namespace tessera {

namespace {

// As sched_setattr(2) lays it out. glibc declares it since 2.41 only, and the kernel's own header
// cannot be included beside <sched.h>.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};

constexpr std::uint64_t kShortestSliceNs = 100'000;  // Linux takes none below

// A thread with a shorter slice than the one that computes gets the CPU as soon as it wakes up, and
// no larger share of it. Before Linux 6.12 slices of this policy have one length, and this changes
// nothing; nor does it where a sandbox forbids the calls.
void ask_for_short_slices() noexcept {
  SchedulingAttributes mine;
  if (syscall(SYS_sched_getattr, 0, &mine, sizeof mine, 0) != 0) return;
  if (mine.policy != SCHED_OTHER) return;
  mine.runtime_ns = kShortestSliceNs;
  static_cast<void>(syscall(SYS_sched_setattr, 0, &mine, 0));
}

}  // namespace

void ProgressAgent::ring(std::atomic<std::uint32_t>& bell) noexcept {
  bell.store(1, std::memory_order_release);
  static_cast<void>(syscall(SYS_futex, &bell, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0));
}

void ProgressAgent::nap(std::int64_t us) noexcept {
  const timespec longest{us / 1'000'000, us % 1'000'000 * 1'000};
  if (bell_.load(std::memory_order_acquire) == 0)
    static_cast<void>(syscall(SYS_futex, &bell_, FUTEX_WAIT_PRIVATE, 0, &longest, nullptr, 0));
  bell_.store(0, std::memory_order_relaxed);
}

void ProgressAgent::serve() noexcept {
  ask_for_short_slices();
  const EngineGuard guard(progress_);
  progress_.set_agent(this_thread());
  while (!ending_) {
    const std::uint64_t before = progress_.entries();
    progress_.wait_until(
        [&] { return ending_ || progress_.entries() != before || others_are_asked(); });
    stand_aside();
  }
}

// Outside, and without the lock, as long as the program keeps entering the engine: taking the lock
// would hold up the calls that it makes meanwhile, and a thread that polls would wake this one in
// each round. Returns the time to sleep next if one waits.
std::int64_t ProgressAgent::nap_while_entered(std::int64_t us, std::int64_t shortest) noexcept {
  std::int64_t next = std::min(2 * us, kLongestNapUs);
  for (;;) {
    const std::uint64_t before = progress_.entries();
    nap(us);
    if (ending_ || progress_.entries() == before) return next;
    next = us = shortest;
  }
}

void ProgressAgent::stand_aside() noexcept {
  const std::int64_t shortest = progress_.shares_cpus() ? kNapInTurnsUs : kNapUs;
  for (std::int64_t us = shortest; !ending_;) {
    progress_.step_outside(bell_, [&] {
      us = nap_while_entered(us, shortest);
      return ending_.load();
    });
    if (!progress_.others_wait()) return;
  }
}

// Signals are the program's own threads' business.
Status ProgressAgent::start() noexcept {
  if (thread_.joinable()) return {};
  progress_.enable_lock();
  ending_ = false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status started;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::exception& failure) {
    started = Status::failure(Errc::system, failure.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// Leaving the engine wakes those whose conditions have come to hold.
void ProgressAgent::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const EngineGuard guard(progress_);
    ending_ = true;
  }
  ring(bell_);
  thread_.join();
}

}  // namespace tessera
