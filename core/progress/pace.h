// SPDX-License-Identifier: BSD-3-Clause
// For work that a poll does only now and then: Pace.
#pragma once
//
// Contract. due() is asked at each poll, by one thread at a time, and is true once per period. It
// reads the clock at every eighth question. Where nothing else wakes a waiting process, naps must
// not last longer than the period (Progress::limit_naps).
//
#include <ctime>

#include <cstdint>

namespace tessera {

class Pace {
 public:
  static constexpr std::int64_t kPeriod_us = 200'000;

  bool due() noexcept {
    if (++questions_ % kQuestionsPerClock != 0) return false;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const std::int64_t now_us = now.tv_sec * std::int64_t{1'000'000} + now.tv_nsec / 1000;
    if (now_us - last_us_ < kPeriod_us) return false;
    last_us_ = now_us;
    return true;
  }

 private:
  static constexpr std::uint32_t kQuestionsPerClock = 8;

  std::uint32_t questions_ = 0;
  std::int64_t last_us_ = 0;
};

}  // namespace tessera
