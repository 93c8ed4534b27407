// SPDX-License-Identifier: BSD-3-Clause
// Questions and answers through the pages of ranks.
#include "launcher/hang/wait_survey.h"

#include <algorithm>

#include "launcher/hang/rank_waits.h"
#include "launcher/hang/unsent.h"

namespace tessera::launcher {
namespace {

bool is_in_call(const RankPage& page) noexcept {
  return page.blocked.read().function[0] != 0;
}

WaitSurvey::Millis age_ms(std::int64_t since_ns, WaitSurvey::Millis now) noexcept {
  return now - since_ns / 1'000'000;
}

}  // namespace

HostSurvey::Waits HostSurvey::rough(Millis now, Millis at_least) const {
  Waits waits(job_size());
  for (std::uint32_t local = 0; local < segment_.ranks(); ++local) {
    const RankPage& page = segment_.page(local);
    RankWait wait = rough_wait(page, page.blocked.read());
    wait.waited_ms = age_ms(wait.since_ns, now);
    const bool short_wait = wait.state == RankWait::State::waits && wait.waited_ms < at_least;
    if (!short_wait) waits[segment_.id_of(local)] = std::move(wait);
  }
  add_outside(waits);
  return waits;
}

void HostSurvey::add_outside(Waits& waits) const {
  if (std::none_of(waits.begin(), waits.end(),
                   [](const RankWait& wait) { return wait.state == RankWait::State::waits; }))
    return;
  for (std::uint32_t local = 0; local < segment_.ranks(); ++local) {
    RankWait& wait = waits[segment_.id_of(local)];
    if (wait.state == RankWait::State::active && !is_in_call(segment_.page(local)))
      wait = outside_wait(segment_.page(local));
  }
}

bool HostSurvey::ask(const Ranks& ranks) {
  if (auto reports = wait_reports(segment_); !reports.ok()) return false;
  asked_.clear();
  outside_.clear();
  for (const std::uint32_t rank : ranks)
    if (segment_.local_of(rank) && is_in_call(page_of(rank)))
      asked_.emplace_back(rank, Question(page_of(rank)));
    else if (segment_.local_of(rank))
      outside_.push_back(rank);
  return true;
}

bool HostSurvey::ask_all() {
  Ranks waiting;
  const Waits waits = rough(0, INT64_MIN);
  for (std::uint32_t rank = 0; rank < waits.size(); ++rank)
    if (waits[rank].state == RankWait::State::waits) waiting.push_back(rank);
  return ask(waiting);
}

bool HostSurvey::all_answered() {
  bool all = true;
  for (const auto& [rank, question] : asked_) {
    if (question.answered()) continue;
    all = false;
    question.repeat();
  }
  return all;
}

HostSurvey::Waits HostSurvey::answers(Millis now) {
  Waits waits(job_size());
  auto reports = wait_reports(segment_);
  if (!reports.ok()) return waits;
  for (std::uint32_t local = 0; local < segment_.ranks(); ++local) {
    RankWait wait = rough_wait(segment_.page(local), Blocked{});
    if (wait.state == RankWait::State::gone) waits[segment_.id_of(local)] = std::move(wait);
  }
  for (const std::uint32_t rank : outside_) waits[rank] = outside_wait(page_of(rank));
  for (const auto& [rank, question] : asked_) {
    const RankPage& page = page_of(rank);
    if (!question.answered()) continue;
    RankWait wait = full_wait(page, (*reports)[*segment_.local_of(rank)]);
    wait.waited_ms = age_ms(wait.since_ns, now);
    if (several_hosts_ && may_have_unsent(page.pid.load(std::memory_order_relaxed))) continue;
    waits[rank] = std::move(wait);
  }
  return waits;
}

}  // namespace tessera::launcher
