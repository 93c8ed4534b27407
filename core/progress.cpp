// SPDX-License-Identifier: BSD-3-Clause
// Adaptive waiting: spin while it pays, then yield, then sleep.
#include "core/progress.h"

#include <sched.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace tessera {
namespace {

std::uint64_t now_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

// Reading the clock costs as much as a dozen polls, so it is read once per this many idle rounds.
constexpr std::uint32_t kRoundsPerClock = 64;
constexpr std::uint32_t kYieldsPerClock = 8;
constexpr std::int64_t kSliceUs = 1'000;
constexpr std::int64_t kListenUs =
    200'000;  // a ringer that finds no way to the descriptor is noticed after this time

// Where several threads wait, each has its own time, so that a busy one does not keep the others
// awake. It is set anew when a wait begins to idle, and so says nothing about the Instance.
thread_local std::uint64_t thread_idle_since_ns = 0;

}  // namespace

// Where ranks share a CPU, a yield hands it straight to the one that has work, for a fraction of
// what a sleep costs.
WaitPolicy WaitPolicy::adaptive(std::uint32_t ranks, std::uint32_t cpus) noexcept {
  WaitPolicy policy;
  if (ranks > cpus) policy.spin_ns = 0;
  return policy;
}

AdaptiveProgress::~AdaptiveProgress() {
  if (ear_ >= 0) close(ear_);
  if (epoll_ >= 0) close(epoll_);
}

void AdaptiveProgress::publish_pollers() noexcept {
  pollers_ = list_.data();
  count_ = static_cast<std::uint32_t>(list_.size());
}

void AdaptiveProgress::add(Poller& poller) noexcept {
  list_.push_back(&poller);
  publish_pollers();
}

void AdaptiveProgress::remove(Poller& poller) noexcept {
  list_.erase(std::remove(list_.begin(), list_.end(), &poller), list_.end());
  publish_pollers();
}

Status AdaptiveProgress::watch(int descriptor, std::uint32_t events) noexcept {
  if (epoll_ < 0) epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0)
    return Status::failure(Errc::system, std::string("epoll_create1: ") + std::strerror(errno));
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0) {
    ++watched_;
    return {};
  }
  if (errno == EEXIST && epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) == 0) return {};
  return Status::failure(Errc::system, std::string("epoll_ctl: ") + std::strerror(errno));
}

void AdaptiveProgress::unwatch(int descriptor) noexcept {
  if (epoll_ >= 0 && epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr) == 0) --watched_;
}

void AdaptiveProgress::lock() noexcept {
  mutex_.lock();
  ++depth_;
}

void AdaptiveProgress::unlock() noexcept {
  --depth_;
  mutex_.unlock();
}

void AdaptiveProgress::idle(std::uint32_t rounds) noexcept {
  if (!locking_) {
    give_way(rounds);
    return;
  }
  const unsigned depth = std::exchange(depth_, 0);
  for (unsigned i = 0; i < depth; ++i) mutex_.unlock();
  give_way(rounds);
  for (unsigned i = 0; i < depth; ++i) mutex_.lock();
  depth_ = depth;
}

void AdaptiveProgress::give_way(std::uint32_t rounds) noexcept {
  const bool shares = policy_.spin_ns == 0;
  std::uint64_t& idle_since_ns = locking_ ? thread_idle_since_ns : idle_since_ns_;
  if (policy_.yield_ns != 0) {
    if (rounds == 1) idle_since_ns = 0;
    if (shares) sched_yield();
    if (rounds % (shares ? kYieldsPerClock : kRoundsPerClock) != 0)
      return shares ? void() : cpu_relax();
  }
  if (blocked_ != nullptr && (locking_ || (!published_ && note_ != nullptr))) publish_note();
  if (policy_.yield_ns == 0) return sleep();
  const std::uint64_t now = now_ns();
  if (idle_since_ns == 0) idle_since_ns = now;
  const std::uint64_t idle_ns = now - idle_since_ns;
  if (idle_ns < policy_.spin_ns) return;
  if (idle_ns < (shares ? policy_.yield_ns : patience_.lasts(policy_.yield_ns))) {
    if (spread_ != nullptr && !locking_) spread_->look();
    sched_yield();
    return;
  }
  if (spread_ != nullptr && !locking_) spread_->leave();
  sleep();
  patience_.slept(policy_.yield_ns, now_ns() - now);
}

// A note lives as long as its call, which another thread can end only while it holds the lock.
void AdaptiveProgress::publish_note() noexcept {
  const EngineGuard guard(*this);
  if (published_ || note_ == nullptr) return;
  Blocked blocked;
  std::strncpy(blocked.function, note_->function, sizeof blocked.function - 1);
  blocked.since_ns = static_cast<std::int64_t>(now_ns());
  blocked.peer = note_->peer;
  blocked.tag = note_->tag;
  blocked.communicator = note_->context;
  blocked.bytes = note_->bytes;
  blocked_->write(blocked);
  published_ = true;
}

void AdaptiveProgress::retract() noexcept {
  blocked_->clear();
  published_ = false;
}

// Nobody may be left to wake a thread whose request another thread completed: with several threads
// naps are short.
std::int64_t AdaptiveProgress::longest_nap_us() const noexcept {
  return locking_ ? kSliceUs : longest_nap_us_;
}

void AdaptiveProgress::sleep() noexcept {
  if (watched_ > 0) return sleep_on_descriptors();
  if (bell_ != nullptr) return sleep_on_bell();
  const timespec nap{0, kSliceUs * 1'000};
  nanosleep(&nap, nullptr);
}

// After an announcement, and before the sleep: what arrives after this look rings.
bool AdaptiveProgress::look_once_more() noexcept {
  if (!locking_) return poll() > 0;
  lock();
  const bool any = poll() > 0;
  unlock();
  return any;
}

void AdaptiveProgress::sleep_on_bell() noexcept {
  bell_->announce();
  if (look_once_more()) return bell_->call_off();
  bell_->sleep(longest_nap_us());
}

void AdaptiveProgress::sleep_on_descriptors() noexcept {
  if (bell_ == nullptr || !rung_) return wait_for_descriptors(longest_nap_us());
  if (!listens()) return wait_for_descriptors(kSliceUs);
  bell_->announce(true);
  if (!look_once_more()) {
    const std::int64_t longest_us = longest_nap_us();
    wait_for_descriptors(longest_us < 0 ? kListenUs : std::min(longest_us, kListenUs));
  }
  bell_->call_off();
}

bool AdaptiveProgress::listens() noexcept {
  if (ear_ < 0 && !deaf_) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = ear_ = bell_->listen();
    deaf_ = ear_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, ear_, &event) != 0;
  }
  return !deaf_ && bell_->heard_by_descriptor();
}

void AdaptiveProgress::wait_for_descriptors(std::int64_t longest_us) noexcept {
  epoll_event events[16];
  const int ready =
      epoll_wait(epoll_, events, 16, longest_us < 0 ? -1 : static_cast<int>(longest_us / 1'000));
  for (int i = 0; i < ready; ++i) {
    if (events[i].data.fd == ear_) Bell::hush(ear_);
  }
}

}  // namespace tessera
