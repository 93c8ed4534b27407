// SPDX-License-Identifier: BSD-3-Clause
// Keeps ranks that answer each other off the same CPU: CpuSpread.
#pragma once
//
// Contract. Of two ranks that take turns on one CPU only one has work at a time: to the scheduler
// that is no load to be spread, and it can leave them together for seconds while another CPU is
// idle. An answer then takes a turn, tens of microseconds, instead of a cache line. A rank that has
// waited so long that it yields says on which CPU it is. If a rank with a lower number was last
// seen waiting on the same one, it moves to a usable CPU on which none was seen. Its affinity stays
// what it was; a rank that may use one CPU only never moves. For jobs with a CPU for each rank.
//
#include "core/job/segment.h"

namespace tessera {

class CpuSpread {
 public:
  explicit CpuSpread(const JobView& view) noexcept : view_(view) {}
  // By a rank that yields.
  void look() noexcept;
  // Before it sleeps: where it wakes is not known.
  void leave() noexcept { say(kNowhere); }

 private:
  static constexpr std::int32_t kNowhere = 0;  // in RankPage::cpu; else the number of the CPU + 1

  void say(std::int32_t place) noexcept;
  bool shared_with_lower(std::int32_t place) const noexcept;
  void move() const noexcept;

  const JobView& view_;
  std::int32_t said_ = kNowhere;
};

}  // namespace tessera
