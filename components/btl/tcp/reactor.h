// SPDX-License-Identifier: BSD-3-Clause
// The module's one epoll descriptor, its timer, and the safe disposal of what was watched.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "socket.h"
#include "tessera/status.h"

namespace tessera::btl::tcp {

// What a descriptor's readiness is told to. An event may be late: the descriptor may have been
// closed by an earlier event of the same round.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual int ready(std::uint32_t events) noexcept = 0;  // how many things happened
};

// Life cycle: made by open(), entered by poll() only, perhaps nested. A Watched that ends within a
// round is handed to bury() and destroyed when no round is running any more.
class Reactor {
 public:
  Status open() noexcept;
  int descriptor() const noexcept { return epoll_.get(); }

  Status add(const Socket& socket, std::uint32_t events, Watched& watched) noexcept;
  void change(const Socket& socket, std::uint32_t events, Watched& watched) noexcept;
  void remove(const Socket& socket) noexcept;

  // Asks the kernel once, without waiting, and tells whom it concerns.
  int dispatch() noexcept;
  void bury(std::unique_ptr<Watched> watched) { graveyard_.push_back(std::move(watched)); }

  // A tick at each interval, 0: none; what has a deadline looks at the clock then. ticked() says
  // once that it is time.
  static constexpr int kTickMs = 50;        // while a connection is in its greeting
  static constexpr int kSlowTickMs = 1000;  // while open connections are watched
  void tick(int interval_ms) noexcept;
  // At such an interval or a shorter one.
  void tick_within(int interval_ms) noexcept {
    if (interval_ms_ == 0 || interval_ms_ > interval_ms) tick(interval_ms);
  }
  bool ticked() noexcept { return std::exchange(ticked_, false); }

 private:
  class Timer final : public Watched {
   public:
    explicit Timer(Reactor& reactor) noexcept : reactor_(reactor) {}
    int ready(std::uint32_t events) noexcept override;

   private:
    Reactor& reactor_;
  };

  Socket epoll_;
  Socket timerfd_;
  Timer timer_{*this};
  std::vector<std::unique_ptr<Watched>> graveyard_;
  int depth_ = 0;
  int interval_ms_ = 0;
  bool ticked_ = false;
};

// Microseconds of a steady clock.
std::int64_t now_us() noexcept;

}  // namespace tessera::btl::tcp
