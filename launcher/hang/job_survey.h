// SPDX-License-Identifier: BSD-3-Clause
// Waits of a job over several hosts: WaitReporter tells those of one host, JobSurvey gathers all.
#pragma once
//
// Contract. The first carrier judges. Each other one tells it what the ranks of its host wait for
// when that has stood still for two looks, and again as soon as it has changed: silence while ranks
// work. When the judge asks, a carrier asks its ranks and sends their reports. What is told of one
// host replaces what was told before.
//
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/hang/wait_survey.h"

namespace tessera::launcher {

// Ranks of one host that wait, or are gone. Of both ways: rank of the job first.
using HostWaits = std::vector<std::pair<std::uint32_t, RankWait>>;
std::string encode(const HostWaits& waits);
// Empty where the bytes are damaged: all are active then.
HostWaits decode(std::string_view bytes, std::uint32_t job_size);

class WaitReporter {
 public:
  using Millis = WaitSurvey::Millis;
  // Sends to the judge; question 0: what was not asked for. False: not now.
  using Send = std::function<bool(std::uint32_t question, const std::string& waits)>;

  WaitReporter(HostSurvey survey, Send send, Millis now) noexcept;

  Millis next() const noexcept { return next_; }
  // `judged`: a verdict is possible; else all ranks count as active.
  void look(Millis now, bool judged);
  void asked(std::uint32_t question, Millis now);

 private:
  using Key = std::vector<std::pair<std::uint32_t, std::int64_t>>;  // rank, and since when

  void answer(Millis now, bool judged);
  void tell(Millis now, bool judged);

  HostSurvey survey_;
  Send send_;
  Millis next_;
  Millis give_up_at_ = 0;
  std::uint32_t question_ = 0;  // 0: none
  Key seen_, told_;
};

// The judge's: own ranks by the pages, the others by what their carriers have told.
class JobSurvey final : public WaitSurvey {
 public:
  using Ask = std::function<void(std::uint32_t node, std::uint32_t question)>;

  JobSurvey(HostSurvey own, std::uint32_t hosts, Ask ask);

  void told(std::uint32_t node, std::uint32_t question, std::string_view waits);

  std::uint32_t job_size() const noexcept override { return own_.job_size(); }
  Waits rough(Millis now, Millis at_least) const override;
  bool ask(const Ranks& ranks) override;
  bool all_answered() override;
  Waits answers(Millis now) override;

 private:
  struct Host {
    HostWaits rough;
    HostWaits full;
    std::uint32_t asked = 0;
    std::uint32_t answered = 0;
  };

  HostSurvey own_;
  std::vector<Host> hosts_;
  Ask ask_;
  std::uint32_t question_ = 0;
};

}  // namespace tessera::launcher
