// SPDX-License-Identifier: BSD-3-Clause
// Progress of one Instance: the pollers, the engine's lock, and how waiting gives way.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "core/cpu_spread.h"
#include "core/job_segment.h"
#include "core/patience.h"
#include "tessera/comm.h"

namespace tessera {

// When to stop spinning, in nanoseconds since the last event. A rank that shares its CPU gives way
// at once: no spin time.
struct WaitPolicy {
  std::uint64_t spin_ns = 20'000;  // pause instructions only
  std::uint64_t yield_ns =
      60'000;  // then sched_yield(2) until this, or longer (patience.h); then sleep
  // The policy for `ranks` processes on `cpus` usable CPUs.
  static WaitPolicy adaptive(std::uint32_t ranks, std::uint32_t cpus) noexcept;
  static WaitPolicy spin_only() noexcept { return {~0ull, ~0ull}; }
  static WaitPolicy sleep_at_once() noexcept { return {0, 0}; }
};

// What a blocking call waits for, kept where the call keeps it, published for others to read only
// when the wait is long.
struct WaitNote {
  const char* function;  // "MPI_Recv"
  int peer;              // rank in the communicator, -1: any or all
  int tag;               // -1: any or none
  ContextId context;     // of the communicator
  std::uint64_t bytes;   // size of the buffer, when there is one
};

// Waiting ends in a futex sleep on this process's Bell, or, when descriptors are watched, in
// epoll_wait(2), where the Bell rings through a descriptor too. Where it cannot, the sleep is cut
// into slices of a millisecond.
class AdaptiveProgress final : public Progress {
 public:
  // `bell` and `blocked` may be null (a process alone); they outlive this object.
  AdaptiveProgress(WaitPolicy policy, Bell* bell, BlockedSlot* blocked = nullptr) noexcept
      : policy_(policy), bell_(bell), blocked_(blocked) {}
  ~AdaptiveProgress();

  void add(Poller& poller) noexcept override;
  void remove(Poller& poller) noexcept override;
  Status watch(int descriptor, std::uint32_t events) noexcept override;
  void unwatch(int descriptor) noexcept override;

  // The note of the call in progress, or null; the old one is returned. With several threads the
  // last one counts.
  const WaitNote* note(const WaitNote* note) noexcept {
    if (published_) [[unlikely]]
      retract();
    return std::exchange(note_, note);
  }

  // The end of the call with the note `mine`. With several threads `outer` may be that of a call
  // which has ended meanwhile.
  void end_note(const WaitNote& mine, const WaitNote* outer) noexcept {
    if (!locking_) [[likely]]
      note(outer);
    else if (note_ == &mine)
      note(nullptr);
  }

  // Nobody rings this process: where descriptors are watched, they alone end a sleep.
  void expect_no_ring() noexcept { rung_ = false; }
  void expect_ring() noexcept { rung_ = true; }
  void set_policy(WaitPolicy policy) noexcept { policy_ = policy; }
  // For a rank with a CPU of its own; `spread` outlives this object.
  void keep_apart(CpuSpread& spread) noexcept { spread_ = &spread; }
  // Sleeps end after this time at the latest: for pollers that watch the clock.
  void limit_naps(std::int64_t longest_us) noexcept { longest_nap_us_ = longest_us; }
  // From MPI_THREAD_MULTIPLE on, every entry into the engine holds this lock; waiting releases it
  // when it pauses.
  void enable_lock() noexcept { locking_ = true; }
  bool locking() const noexcept { return locking_; }
  void lock() noexcept;
  void unlock() noexcept;

 private:
  void idle(std::uint32_t rounds) noexcept override;
  void give_way(std::uint32_t rounds) noexcept;
  void sleep() noexcept;
  void sleep_on_bell() noexcept;
  void sleep_on_descriptors() noexcept;
  bool listens() noexcept;
  bool look_once_more() noexcept;
  void wait_for_descriptors(std::int64_t longest_us) noexcept;
  std::int64_t longest_nap_us() const noexcept;
  void publish_pollers() noexcept;
  void publish_note() noexcept;
  void retract() noexcept;

  WaitPolicy policy_;
  Patience patience_;
  Bell* bell_;
  BlockedSlot* blocked_;
  CpuSpread* spread_ = nullptr;
  const WaitNote* note_ = nullptr;
  bool published_ = false;
  bool rung_ = true;
  std::vector<Poller*> list_;
  std::uint64_t idle_since_ns_ = 0;
  std::int64_t longest_nap_us_ = -1;  // negative: no limit
  int epoll_ = -1;
  int ear_ = -1;       // the Bell's descriptor
  bool deaf_ = false;  // there is none
  int watched_ = 0;
  bool locking_ = false;
  std::recursive_mutex mutex_;
  unsigned depth_ = 0;  // how often the holder has locked; protected by the mutex
};

// Holds the engine's lock for one call, when there is one to hold.
class EngineGuard {
 public:
  explicit EngineGuard(AdaptiveProgress& progress) noexcept
      : progress_(progress.locking() ? &progress : nullptr) {
    if (progress_ != nullptr) [[unlikely]]
      progress_->lock();
  }
  ~EngineGuard() {
    if (progress_ != nullptr) [[unlikely]]
      progress_->unlock();
  }
  EngineGuard(const EngineGuard&) = delete;
  EngineGuard& operator=(const EngineGuard&) = delete;

 private:
  AdaptiveProgress* progress_;
};

// Says, for the time of one blocking call, what it waits for.
class WaitScope {
 public:
  WaitScope(AdaptiveProgress& progress, const WaitNote& note) noexcept
      : progress_(progress), mine_(note), outer_(progress.note(&note)) {}
  ~WaitScope() { progress_.end_note(mine_, outer_); }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

 private:
  AdaptiveProgress& progress_;
  const WaitNote& mine_;
  const WaitNote* outer_;
};

}  // namespace tessera
