// SPDX-License-Identifier: BSD-3-Clause
// One epoll descriptor for all sockets.
#include "reactor.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

namespace tessera::btl::tcp {

std::int64_t now_us() noexcept {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

Status Reactor::open() noexcept {
  epoll_ = Socket(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_.valid()) return system_failure("epoll_create1", errno);
  timerfd_ = Socket(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timerfd_.valid()) return system_failure("timerfd_create", errno);
  return add(timerfd_, EPOLLIN, timer_);
}

Status Reactor::add(const Socket& socket, std::uint32_t events, Watched& watched) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watched;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket.get(), &event) != 0)
    return system_failure("epoll_ctl", errno);
  return {};
}

void Reactor::change(const Socket& socket, std::uint32_t events, Watched& watched) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watched;
  (void)epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket.get(), &event);
}

void Reactor::remove(const Socket& socket) noexcept {
  (void)epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket.get(), nullptr);
}

int Reactor::dispatch() noexcept {
  std::array<epoll_event, 32> batch;
  const int count = epoll_wait(epoll_.get(), batch.data(), static_cast<int>(batch.size()), 0);
  ++depth_;
  int events = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = batch[static_cast<std::size_t>(i)];
    events += static_cast<Watched*>(event.data.ptr)->ready(event.events);
  }
  if (--depth_ == 0 && !graveyard_.empty()) graveyard_.clear();
  return events;
}

void Reactor::tick(int interval_ms) noexcept {
  if (interval_ms == std::exchange(interval_ms_, interval_ms)) return;
  const timespec interval{interval_ms / 1000, interval_ms % 1000 * 1'000'000L};
  const itimerspec spec{interval, interval};
  (void)timerfd_settime(timerfd_.get(), 0, &spec, nullptr);
}

int Reactor::Timer::ready(std::uint32_t) noexcept {
  std::uint64_t expirations = 0;
  if (::read(reactor_.timerfd_.get(), &expirations, sizeof expirations) == sizeof expirations) {
    reactor_.ticked_ = true;
  }
  return 0;
}

}  // namespace tessera::btl::tcp
