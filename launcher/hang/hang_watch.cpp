// SPDX-License-Identifier: BSD-3-Clause
// Looks, asks, asks again, and tells.
#include "launcher/hang/hang_watch.h"

#include <string.h>

#include <algorithm>

#include "launcher/hang/source_lines.h"

namespace tessera::launcher {
namespace {

constexpr std::int64_t kLookMs = 500;
constexpr std::int64_t kLongWaitMs = 1'000;  // before a wait is worth a thought
constexpr std::int64_t kAnswerMs = 20;
constexpr std::int64_t kPatienceMs = 1'000;  // with those that do not answer
constexpr std::int64_t kBetweenMs = 1'000;   // the two questions
constexpr std::int64_t kFirstPauseMs = 2'000;
constexpr std::int64_t kLongestPauseMs = 60'000;
constexpr std::size_t kMostPlaces = 32;  // ranks whose calls are looked up in source files

HangWatch::Millis age_ms(std::int64_t since_ns, HangWatch::Millis now) noexcept {
  return now - since_ns / 1'000'000;
}

template <class Waits>
auto key_of(const WaitGraph& graph, const Waits& waits) {
  std::vector<std::pair<std::uint32_t, std::int64_t>> key;
  for (std::uint32_t rank = 0; rank < graph.size(); ++rank)
    if (graph.is_stuck(rank)) key.emplace_back(rank, waits[rank].since_ns);
  return key;
}

}  // namespace

HangWatch::HangWatch(JobSegment& segment, Millis now) noexcept
    : segment_(segment), next_(now + kLongWaitMs), pause_(kFirstPauseMs) {}

std::optional<HangWatch::Finding> HangWatch::look(Millis now) {
  if (now < next_) return std::nullopt;
  switch (phase_) {
    case Phase::watching:
      watch(now);
      break;
    case Phase::pausing:
      ask(now, Phase::asked_again);
      break;
    case Phase::asked:
    case Phase::asked_again:
      next_ = now + kAnswerMs;
      if (!all_answered() && now < give_up_at_) break;
      if (phase_ == Phase::asked_again) return judge_again(now);
      judge_first(now);
  }
  return std::nullopt;
}

void HangWatch::put_off(Millis now) noexcept {
  phase_ = Phase::watching;
  next_ = std::max(next_, now + kLookMs);
}

HangWatch::Waits HangWatch::rough_waits(Millis now, Millis at_least) const {
  Waits waits(segment_.job_size());
  for (std::uint32_t local = 0; local < segment_.ranks(); ++local) {
    const RankPage& page = segment_.page(local);
    RankWait wait = rough_wait(page, page.blocked.read());
    const bool short_wait =
        wait.state == RankWait::State::waits && age_ms(wait.since_ns, now) < at_least;
    if (!short_wait) waits[segment_.id_of(local)] = std::move(wait);
  }
  return waits;
}

void HangWatch::watch(Millis now) {
  next_ = now + kLookMs;
  const Waits waits = rough_waits(now, kLongWaitMs);
  const WaitGraph graph(waits);
  if (!graph.anybody_stuck()) return;
  Key key = key_of(graph, waits);
  if (key == asked_key_ && now < not_before_) return;
  if (key != asked_key_) pause_ = kFirstPauseMs;
  asked_key_ = std::move(key);
  // The question also goes to those behind them, however short they wait by now.
  const Waits everybody = rough_waits(now, 0);
  const WaitGraph all(everybody);
  asked_.clear();
  for (std::uint32_t rank = 0; rank < all.size(); ++rank)
    if (all.is_stuck(rank)) asked_.push_back(rank);
  ask(now, Phase::asked);
}

void HangWatch::ask(Millis now, Phase phase) {
  if (auto reports = wait_reports(segment_); !reports.ok()) return rest(now);
  phase_ = phase;
  ++question_;
  for (const std::uint32_t rank : asked_) {
    page_of(rank).question.asked.store(question_, std::memory_order_seq_cst);
    page_of(rank).bell.ring();
  }
  give_up_at_ = now + kPatienceMs;
  next_ = now + kAnswerMs;
}

// One that was about to sleep when the bell rang may have missed it.
bool HangWatch::all_answered() const noexcept {
  bool all = true;
  for (const std::uint32_t rank : asked_) {
    RankPage& page = page_of(rank);
    if (!page.question.pending()) continue;
    all = false;
    page.bell.ring();
  }
  return all;
}

HangWatch::Waits HangWatch::answers() {
  Waits waits(segment_.job_size());
  auto reports = wait_reports(segment_);
  if (!reports.ok()) return waits;
  for (std::uint32_t local = 0; local < segment_.ranks(); ++local) {
    RankWait wait = rough_wait(segment_.page(local), Blocked{});
    if (wait.state == RankWait::State::gone) waits[segment_.id_of(local)] = std::move(wait);
  }
  for (const std::uint32_t rank : asked_) {
    const RankPage& page = page_of(rank);
    if (page.question.answered.load(std::memory_order_acquire) != question_) continue;
    waits[rank] = full_wait(page, (*reports)[*segment_.local_of(rank)]);
  }
  return waits;
}

bool HangWatch::is_new(const Verdict& verdict, const Waits& waits) const {
  return std::any_of(verdict.knots.begin(), verdict.knots.end(), [&](const Knot& knot) {
    return std::none_of(knot.ranks.begin(), knot.ranks.end(), [&](std::uint32_t rank) {
      const auto found = told_.find(rank);
      return found != told_.end() && found->second == waits[rank].since_ns;
    });
  });
}

void HangWatch::judge_first(Millis now) {
  first_ = answers();
  const WaitGraph graph(first_);
  const auto verdict = judge(graph);
  if (!verdict || !is_new(*verdict, first_)) return rest(now);
  phase_ = Phase::pausing;
  next_ = now + kBetweenMs;
}

std::optional<HangWatch::Finding> HangWatch::judge_again(Millis now) {
  Waits waits = answers();
  for (std::uint32_t rank = 0; rank < segment_.job_size(); ++rank)
    if (!same_standstill(first_[rank], waits[rank])) waits[rank] = RankWait{};
  const auto verdict = judge(WaitGraph(waits));
  rest(now);
  if (!verdict || !is_new(*verdict, waits)) return std::nullopt;
  return make_finding(*verdict, waits, now);
}

HangWatch::Finding HangWatch::make_finding(const Verdict& verdict, Waits& waits, Millis now) {
  for (const Knot& knot : verdict.knots)
    for (const std::uint32_t rank : knot.ranks) told_[rank] = waits[rank].since_ns;
  auto reports = wait_reports(segment_);
  std::map<std::string, std::vector<std::string>> known;
  Millis shortest = INT64_MAX;
  for (const std::uint32_t rank : asked_) {
    if (waits[rank].state != RankWait::State::waits || !reports.ok()) continue;
    shortest = std::min(shortest, age_ms(waits[rank].since_ns, now));
    const char* const text = (*reports)[*segment_.local_of(rank)].places;
    const std::string places(text, strnlen(text, WaitReport::kPlaces));
    if (known.size() < kMostPlaces && known.count(places) == 0)
      known[places] = source_lines(places);
    if (const auto found = known.find(places); found != known.end())
      waits[rank].places = found->second;
  }
  const WaitGraph graph(waits);
  const double seconds = static_cast<double>(shortest == INT64_MAX ? 0 : shortest) * 1e-3;
  return {describe(verdict, graph, seconds), as_json(verdict, graph, seconds),
          as_dot(verdict, graph), as_svg(verdict, graph)};
}

void HangWatch::rest(Millis now) noexcept {
  phase_ = Phase::watching;
  next_ = now + kLookMs;
  not_before_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongestPauseMs);
}

}  // namespace tessera::launcher
