// SPDX-License-Identifier: BSD-3-Clause
// Adaptive waiting: spin while it pays, then yield, then sleep.
#include "core/progress/progress.h"

#include <sched.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/progress/wait_clock.h"

namespace tessera {

namespace {

Blocked describe(const WaitNote& note) noexcept {
  Blocked blocked;
  std::strncpy(blocked.function, note.function, sizeof blocked.function - 1);
  blocked.peer = note.peer < 0 ? -1 : note.peer;
  blocked.tag = note.tag < 0 ? -1 : note.tag;
  const WaitDetail* const detail = note.detail;
  if (detail != nullptr) blocked.collective = detail->collective;
  const auto count = static_cast<std::uint64_t>(std::max<Count>(note.count, 0));
  if (note.type != nullptr)
    blocked.bytes = count * static_cast<std::uint64_t>(note.type->size());
  else
    blocked.requests = count;
  if (note.comm == nullptr) return blocked;
  std::strncpy(blocked.communicator, note.comm->name(), sizeof blocked.communicator - 1);
  blocked.processes = static_cast<std::uint64_t>(note.comm->size());
  if (note.peer >= 0) blocked.peer_in_job = note.comm->peer(note.peer).name.index;
  return blocked;
}

constexpr std::size_t kFirstPollers = 64;

void make_room(std::vector<Poller*>& list) noexcept try {
  list.reserve(std::max(kFirstPollers, 4 * list.size()));
} catch (const std::bad_alloc&) {
}

}  // namespace

// Where ranks share a CPU, a yield hands it straight to the one that has work, for a fraction of
// what a sleep costs.
WaitPolicy WaitPolicy::adaptive(std::uint32_t ranks, std::uint32_t cpus) noexcept {
  WaitPolicy policy;
  if (ranks > cpus) policy.spin_ns = 0;
  return policy;
}

AdaptiveProgress::~AdaptiveProgress() {
  if (wakeup_fd_ >= 0) close(wakeup_fd_);
  if (wake_event_ >= 0) close(wake_event_);
  if (epoll_ >= 0) close(epoll_);
}

void AdaptiveProgress::publish_pollers() noexcept {
  pollers_ = list_.data();
  count_ = static_cast<std::uint32_t>(list_.size());
}

// Room for as many pollers again is taken ahead of need: where memory is out now, each of those
// asks anew, and only one more than that ends the process.
void AdaptiveProgress::add(Poller& poller) noexcept {
  list_.push_back(&poller);
  if (list_.capacity() < 2 * list_.size()) make_room(list_);
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
    // A thread that sleeps on the bell alone would not see it.
    if (watched_++ == 0 && sleeper_ != nullptr) wake_sleeper(sleep_mode_);
    return {};
  }
  if (errno == EEXIST && epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) == 0) return {};
  return Status::failure(Errc::system, std::string("epoll_ctl: ") + std::strerror(errno));
}

void AdaptiveProgress::unwatch(int descriptor) noexcept {
  if (epoll_ >= 0 && epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr) == 0) --watched_;
}

// A death that is told now may have completed what this call waits for: it looks again first.
bool AdaptiveProgress::idle(std::uint32_t rounds, const Condition& condition) noexcept {
  ++tally_.idle_polls;
  if (rounds == 1) ++standstills_;
  if (failures_ != nullptr && failures_->news()) {
    notice_failures();
    return false;
  }
  if (locking()) return idle_among_threads(rounds, condition);
  give_way(rounds);
  return false;
}

void AdaptiveProgress::give_way(std::uint32_t rounds) noexcept {
  const bool shares = policy_.spin_ns == 0;
  if (policy_.yield_ns != 0) {
    if (rounds == 1) idle_since_ns_ = 0;
    if (shares) ++tally_.yields, sched_yield();
    if (rounds % (shares ? kYieldsPerClock : kRoundsPerClock) != 0)
      return shares ? void() : cpu_relax();
  }
  if (must_speak()) publish_note();
  if (policy_.yield_ns == 0) return sleep();
  const std::uint64_t now = now_ns();
  if (idle_since_ns_ == 0) idle_since_ns_ = now;
  const std::uint64_t idle_ns = now - idle_since_ns_;
  if (idle_ns < policy_.spin_ns) return;
  if (idle_ns < (shares ? policy_.yield_ns : patience_.lasts(policy_.yield_ns))) {
    if (spread_ != nullptr) spread_->look();
    ++tally_.yields;
    sched_yield();
    return;
  }
  if (spread_ != nullptr) spread_->leave();
  sleep();
  patience_.slept(policy_.yield_ns, now_ns() - now);
}

// A note lives as long as its call, which another thread can end only while it holds the lock.
void AdaptiveProgress::publish_note() noexcept {
  if (!must_speak()) return;
  if (published_ == nullptr && onlooker_ != nullptr) onlooker_(*note_);
  if (blocked_ == nullptr) return;
  if (published_ == nullptr) publish(*note_);
  if (question_ == nullptr || !question_->pending()) return;
  teller_->tell({*note_, waiting_, polling_ == 0, agent_});
}

void AdaptiveProgress::publish(const WaitNote& note) noexcept {
  Blocked blocked = describe(note);
  blocked.since_ns = static_cast<std::int64_t>(now_ns());
  blocked_->write(blocked);
  published_ = &note;
}

// Another thread that sleeps in a call is told of instead.
void AdaptiveProgress::retract() noexcept {
  blocked_->clear();
  published_ = nullptr;
  const WaitNote* other = sleeper_ != nullptr ? sleeper_->note() : nullptr;
  waiting_.for_each([&](const WaitingThread& thread) {
    if (other == nullptr) other = thread.note();
  });
  if (other != nullptr) publish(*other);
}

void AdaptiveProgress::note_sleep(std::uint64_t since_ns) noexcept {
  ++tally_.sleeps;
  tally_.sleep_ns += now_ns() - since_ns;
}

void AdaptiveProgress::sleep() noexcept {
  const std::uint64_t before = now_ns();
  prepare_sleep();
  note_sleep(before);
}

void AdaptiveProgress::prepare_sleep() noexcept {
  if (watched_ > 0) return sleep_on_descriptors();
  if (bell_ != nullptr) return sleep_on_doorbell();
  const timespec nap{0, kSliceUs * 1'000};
  nanosleep(&nap, nullptr);
}

void AdaptiveProgress::announce(Doorbell& bell, bool heard_by_descriptor) noexcept {
  for (std::uint32_t i = 0; i < count_; ++i) pollers_[i]->before_sleep();
  bell.announce(heard_by_descriptor);
}

bool AdaptiveProgress::look_once_more() noexcept {
  return (failures_ != nullptr && failures_->news()) || poll() > 0;
}

// A packet that arrives after the look behind the announcement rings.
// A thread that sleeps on the old one wakes, and lies down on the new one.
void AdaptiveProgress::replace_doorbell(Doorbell& bell) noexcept {
  if (bell_ == &bell) return;
  if (wakeup_fd_ >= 0) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, wakeup_fd_, nullptr);
    close(wakeup_fd_.exchange(-1));
  }
  no_wakeup_fd_ = false;
  Doorbell* const old = std::exchange(bell_, &bell);
  if (old != nullptr) old->ring();
}

void AdaptiveProgress::sleep_on_doorbell() noexcept {
  announce(*bell_, false);
  if (look_once_more()) return bell_->call_off();
  bell_->sleep(longest_nap_us_);
}

void AdaptiveProgress::sleep_on_descriptors() noexcept {
  if (bell_ == nullptr || !rung_) return wait_for_descriptors(unwakeable_sleep_us());
  if (!has_wakeup_fd()) return wait_for_descriptors(kSliceUs);
  announce(*bell_, true);
  if (!look_once_more())
    wait_for_descriptors(longest_nap_us_ < 0 ? kListenUs : std::min(longest_nap_us_, kListenUs));
  bell_->call_off();
}

std::int64_t AdaptiveProgress::unwakeable_sleep_us() const noexcept {
  if (question_ == nullptr) return longest_nap_us_;
  return longest_nap_us_ < 0 ? kQuestionUs : std::min(longest_nap_us_, kQuestionUs);
}

bool AdaptiveProgress::has_wakeup_fd() noexcept {
  if (wakeup_fd_ < 0 && !no_wakeup_fd_) {
    const int made = bell_->listen();
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = wakeup_fd_ = made;
    no_wakeup_fd_ = made < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, made, &event) != 0;
  }
  return !no_wakeup_fd_ && bell_->heard_by_descriptor();
}

void AdaptiveProgress::wait_for_descriptors(std::int64_t longest_us) noexcept {
  epoll_event events[16];
  const int ready =
      epoll_wait(epoll_, events, 16, longest_us < 0 ? -1 : static_cast<int>(longest_us / 1'000));
  for (int i = 0; i < ready; ++i) {
    if (events[i].data.fd == wakeup_fd_) Doorbell::drain(events[i].data.fd);
    if (events[i].data.fd == wake_event_) {
      std::uint64_t times;
      static_cast<void>(!read(wake_event_, &times, sizeof times));
    }
  }
}

}  // namespace tessera
