// SPDX-License-Identifier: BSD-3-Clause
// The timer of the interposer.
#include "alarm.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace tessera::btl::chaos {

std::int64_t now_us() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000} + now.tv_nsec / 1000;
}

Alarm::~Alarm() {
  if (descriptor_ < 0) return;
  progress_.unwatch(descriptor_);
  ::close(descriptor_);
}

Status Alarm::open() noexcept {
  descriptor_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (descriptor_ < 0)
    return Status::failure(Errc::system, "timerfd_create(2) fails, and btl/chaos needs a timer");
  const Status watched = progress_.watch(descriptor_, EPOLLIN);
  if (watched) return {};
  ::close(descriptor_);
  descriptor_ = -1;
  return watched;
}

// Setting it also forgets that it has rung.
void Alarm::set(std::int64_t at_us) noexcept {
  if (at_us == at_us_) return;
  at_us_ = at_us;
  itimerspec when{};
  if (at_us != kNever) {
    const std::int64_t at = std::max<std::int64_t>(at_us, 1);
    when.it_value = {at / 1'000'000, at % 1'000'000 * 1000};
  }
  (void)timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace tessera::btl::chaos
