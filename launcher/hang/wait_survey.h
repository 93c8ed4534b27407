// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job wait for, as somebody outside learns it: WaitSurvey, HostSurvey.
#pragma once
//
// Contract. rough() reads what every rank that waits notes by itself. ask() puts a question to
// ranks, which report in full; answers() has those reports once all_answered() holds, or patience
// is at its end. Who does not wait, does not answer, or cannot be judged is active. Results are by
// rank of the job.
//
#include <cstdint>
#include <utility>
#include <vector>

#include "core/job/segment.h"
#include "launcher/hang/question.h"
#include "launcher/hang/wait_graph.h"

namespace tessera::launcher {

class WaitSurvey {
 public:
  using Millis = std::int64_t;  // CLOCK_MONOTONIC
  using Waits = std::vector<RankWait>;
  using Ranks = std::vector<std::uint32_t>;
  // For all who look: how often, and what is worth a look.
  static constexpr Millis kLook = 500;
  static constexpr Millis kLongWait = 1'000;
  static constexpr Millis kAnswerLook = 20;  // after a question

  virtual ~WaitSurvey() = default;
  virtual std::uint32_t job_size() const noexcept = 0;
  // Without those that have waited for less than `at_least`, as far as these are known.
  virtual Waits rough(Millis now, Millis at_least) const = 0;
  // False: they cannot be asked.
  virtual bool ask(const Ranks& ranks) = 0;
  virtual bool all_answered() = 0;
  virtual Waits answers(Millis now) = 0;
};

// The ranks of this host, by the pages of the job segment.
class HostSurvey final : public WaitSurvey {
 public:
  // `hosts`: of the job. With several, a rank with bytes on the way to another host is active: they
  // may be what somebody waits for.
  HostSurvey(JobSegment& segment, std::uint32_t hosts) noexcept
      : segment_(segment), several_hosts_(hosts > 1) {}

  std::uint32_t job_size() const noexcept override { return segment_.job_size(); }
  Waits rough(Millis now, Millis at_least) const override;
  bool ask(const Ranks& ranks) override;  // those of other hosts are nobody's here
  bool ask_all();                         // that wait
  bool all_answered() override;
  Waits answers(Millis now) override;
  std::uint32_t ranks() const noexcept { return segment_.ranks(); }
  std::uint32_t rank_of(std::uint32_t local) const noexcept { return segment_.id_of(local); }

 private:
  RankPage& page_of(std::uint32_t rank) const noexcept {
    return segment_.page(*segment_.local_of(rank));
  }

  JobSegment& segment_;
  bool several_hosts_;
  // Those that are in no call, and asleep (outside_threads.h). While nobody waits in one, nobody
  // looks.
  void add_outside(Waits& waits) const;

  std::vector<std::pair<std::uint32_t, Question>> asked_;  // rank of the job first
  Ranks outside_;
};

}  // namespace tessera::launcher
