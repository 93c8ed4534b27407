// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether a running job hangs: HangWatch.
#pragma once
//
// Contract. mpiexec calls look() when next() has come; the first time a second after the start.
// While the notes of the ranks leave a way on, that is all: two looks a second at pages that nobody
// is disturbed by. When they do not, the ranks that wait are asked to report in full, and a second
// later once more. A verdict is given on those that have answered both times out of the same call
// with the same things open: all of them stood still between the two answers, and each had looked
// at what had arrived. So a rank that is stopped, works, or gets no CPU takes part in no verdict.
// The same knot is told once. Of whom the survey knows nothing counts as at work.
//
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hang/verdict.h"
#include "launcher/hang/wait_survey.h"

namespace tessera::launcher {

class HangWatch {
 public:
  using Millis = WaitSurvey::Millis;

  struct Finding {
    std::string text;  // for people, some lines
    std::string json;
    std::string dot;
    std::string svg;
  };

  // Of the survey, which outlives it.
  HangWatch(WaitSurvey& survey, Millis now) noexcept;

  Millis next() const noexcept { return next_; }
  std::optional<Finding> look(Millis now);
  // Instead of look(), while a verdict is not possible.
  void put_off(Millis now) noexcept;

 private:
  enum class Phase : std::uint8_t { watching, asked, pausing, asked_again };
  using Waits = WaitSurvey::Waits;
  using Key = std::vector<std::pair<std::uint32_t, std::int64_t>>;  // rank, and since when

  void watch(Millis now);
  void ask(Millis now, Phase phase);
  bool is_new(const Verdict& verdict, const Waits& waits) const;
  void judge_first(Millis now);
  std::optional<Finding> judge_again(Millis now);
  Finding make_finding(const Verdict& verdict, Waits& waits);
  void rest(Millis now) noexcept;

  WaitSurvey& survey_;
  Phase phase_ = Phase::watching;
  Millis next_;
  Millis give_up_at_ = 0;  // on ranks that do not answer
  Millis not_before_ = 0;  // the same ranks are asked again
  Millis pause_;           // until then, doubled each time
  Key asked_key_;          // who was stuck when they were asked
  std::vector<std::uint32_t> asked_;
  Waits first_;
  std::map<std::uint32_t, std::int64_t> told_;  // ranks of knots that were told, and since when
};

}  // namespace tessera::launcher
