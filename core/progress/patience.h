// SPDX-License-Identifier: BSD-3-Clause
// How long a rank waits before it sleeps, in view of how its sleeps went: Patience.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tessera {

// A sleep that soon ends was not worth its wake-up. Worse, where a wake-up takes longer than ranks
// wait before they sleep, two that answer each other would keep each other asleep for ever: each
// answer finds the other one asleep. So after such a sleep a rank waits twice as long, up to kMost
// times, and after a long one as usual again. (Cf. competitive spinning, Karlin et al. 1991.) Any
// thread may call anything.
class Patience {
 public:
  static constexpr std::uint64_t kMost = 8;
  static constexpr std::uint64_t kShort = 4;  // times as long as it waits usually: a short sleep

  // Nanoseconds, where `usual` is what the policy says.
  std::uint64_t lasts(std::uint64_t usual_ns) const noexcept {
    return usual_ns * times_.load(std::memory_order_relaxed);
  }
  void slept(std::uint64_t usual_ns, std::uint64_t slept_ns) noexcept {
    const std::uint64_t longer = std::min(kMost, 2 * times_.load(std::memory_order_relaxed));
    times_.store(slept_ns < kShort * usual_ns ? longer : 1, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> times_{1};
};

}  // namespace tessera
