// SPDX-License-Identifier: BSD-3-Clause
// Adaptive waiting of several threads: one polls for all, the others sleep.
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/progress/agent.h"
#include "core/progress/wait_clock.h"

namespace tessera {
namespace {

// Each thread has its own time, so that a busy one does not keep the others awake. It is set anew
// when a wait begins to idle, and so says nothing about the Instance.
thread_local std::uint64_t idle_since_ns = 0;

// Where threads of the program spin as well, a yield may cost time slices of all of them, while a
// sleeper is served as soon as it is woken. After such a yield, so many waits go without
// (measured: docs/decisions/0065).
constexpr std::uint64_t kSlowYieldNs = 500'000;
constexpr unsigned kWithoutYields = 64;

// After it the agent looks rarely, and a wake-up more is small beside it.
constexpr std::uint64_t kLongSleepNs = 1'000'000;

}  // namespace

void AdaptiveProgress::lock() noexcept {
  mutex_.lock();
  ++depth_;
  entries_.store(entries() + 1, std::memory_order_relaxed);
}

void AdaptiveProgress::unlock() noexcept {
  const bool last = --depth_ == 0;
  if (last && (!waiting_.empty() || sleeper_ != nullptr)) [[unlikely]]
    return unlock_and_wake(1, true);
  mutex_.unlock();
}

// Conditions of sleepers may have come to hold while this thread was in the engine. One that leaves
// for good hands the polling on, if nobody else does it.
void AdaptiveProgress::unlock_and_wake(unsigned depth, bool leaving) noexcept {
  WaitingThread* woken = waiting_.settle();
  const bool rouses = sleeper_ != nullptr && !sleeper_->satisfied() && sleeper_->look();
  const SleepMode mode = sleep_mode_;
  if (leaving && woken == nullptr && polling_ == 0) woken = waiting_.next_to_poll();
  for (unsigned i = 0; i < depth; ++i) mutex_.unlock();
  WaitingThreads::wake_all(woken);
  if (rouses) wake_sleeper(mode);
}

template <class Pause>
void AdaptiveProgress::unlocked(Pause&& pause) noexcept {
  const WaitNote* const note = std::exchange(note_, nullptr);
  const unsigned depth = std::exchange(depth_, 0);
  unlock_and_wake(depth, false);
  pause();
  for (unsigned i = 0; i < depth; ++i) mutex_.lock();
  depth_ = depth;
  note_ = note;
}

void AdaptiveProgress::yield() noexcept {
  ++tally_.yields;
  if (!locking()) return static_cast<void>(sched_yield());
  ++polling_;
  unlocked([] { sched_yield(); });
  --polling_;
}

bool AdaptiveProgress::idle_among_threads(std::uint32_t rounds,
                                          const Condition& condition) noexcept {
  if (policy_.yield_ns != 0 && gives_way_awake(rounds)) return false;
  publish_note();
  return polling_ > 0 ? sleep_beside(condition) : sleep_for_all(condition);
}

// Spins or yields while that is in order; false: it is time to sleep.
bool AdaptiveProgress::gives_way_awake(std::uint32_t rounds) noexcept {
  const bool shares = policy_.spin_ns == 0;
  if (shares && polling_ > 0) return false;
  if (rounds == 1) idle_since_ns = 0;
  const bool looks = shares || rounds % kRoundsPerClock == 0;
  const std::uint64_t now = looks ? now_ns() : 0;
  if (looks && idle_since_ns == 0) idle_since_ns = now;
  const std::uint64_t idle_ns = looks ? now - idle_since_ns : 0;
  const bool yields = looks && idle_ns >= policy_.spin_ns;
  if (yields) {
    if (rounds == 2 && idle_ns > kSlowYieldNs) without_yields_ = kWithoutYields;
    if (rounds == 1 && without_yields_ > 0) return --without_yields_, false;
    if (polling_ > 0 || idle_ns >= patience_.lasts(policy_.yield_ns)) return false;
    // Where one thread of the program waits; of several, each may be on another CPU.
    if (spread_ != nullptr && !shares && waiting_.empty()) spread_->look();
  }
  tally_.yields += yields ? 1 : 0;
  ++polling_;
  unlocked([yields] { yields ? static_cast<void>(sched_yield()) : cpu_relax(); });
  --polling_;
  return true;
}

bool AdaptiveProgress::sleep_beside(const Condition& condition) noexcept {
  WaitingThread me(condition, note_);
  waiting_.add(me);
  unlocked([&me] { me.sleep(); });
  return me.satisfied();
}

// After the announcement, and before the sleep: what arrives after this look rings.
bool AdaptiveProgress::sleep_for_all(const Condition& condition) noexcept {
  if (spread_ != nullptr) spread_->leave();
  Doorbell& bell = bell_ != nullptr ? *bell_ : own_doorbell_;
  SleepMode mode = choose_sleep_mode();
  mode.bell = &bell;
  if (mode.kind != SleepMode::Kind::descriptors)
    announce(bell, mode.kind == SleepMode::Kind::descriptors_and_bell);
  if (look_once_more()) return bell.call_off(), false;
  const std::uint64_t before = now_ns();
  WaitingThread me(condition, note_);
  sleeper_ = &me;
  sleep_mode_ = mode;
  ++polling_;
  unlocked([this, mode] { sleep_by(mode); });
  --polling_;
  sleeper_ = nullptr;
  bell.call_off();
  note_sleep(before);
  const std::uint64_t slept_ns = now_ns() - before;
  patience_.slept(policy_.yield_ns, slept_ns);
  if (agent_bell_ != nullptr && slept_ns > kLongSleepNs) ProgressAgent::ring(*agent_bell_);
  return me.satisfied();
}

// Under the lock; all that the sleep needs to know is in its result.
AdaptiveProgress::SleepMode AdaptiveProgress::choose_sleep_mode() noexcept {
  const auto at_most = [this](std::int64_t us) {
    return longest_nap_us_ < 0 ? us : std::min(us, longest_nap_us_);
  };
  if (watched_ == 0)
    return {SleepMode::Kind::bell, bell_ != nullptr ? longest_nap_us_ : at_most(kSliceUs)};
  const bool rung = bell_ != nullptr && rung_;
  if (rung && has_wakeup_fd()) return {SleepMode::Kind::descriptors_and_bell, at_most(kListenUs)};
  if (wake_event_ < 0) {
    wake_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = wake_event_;
    if (wake_event_ >= 0) static_cast<void>(epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_event_, &event));
  }
  return {SleepMode::Kind::descriptors,
          rung || wake_event_ < 0 ? at_most(kSliceUs) : unwakeable_sleep_us()};
}

void AdaptiveProgress::sleep_by(const SleepMode& mode) noexcept {
  if (mode.kind != SleepMode::Kind::bell) return wait_for_descriptors(mode.longest_us);
  mode.bell->sleep(mode.longest_us);
}

void AdaptiveProgress::wake_sleeper(const SleepMode& mode) noexcept {
  if (mode.kind != SleepMode::Kind::descriptors) return mode.bell->ring();
  const std::uint64_t one = 1;
  if (wake_event_ >= 0 && write(wake_event_, &one, sizeof one) < 0)
    return;  // full: it is awake anyway
}

}  // namespace tessera
