// SPDX-License-Identifier: BSD-3-Clause
// Looks, asks, asks again, and tells.
#include "launcher/hang/hang_watch.h"

#include <algorithm>

#include "launcher/hang/rank_waits.h"
#include "launcher/hang/source_lines.h"

namespace tessera::launcher {
namespace {

constexpr std::int64_t kPatienceMs = 1'000;  // with those that do not answer
constexpr std::int64_t kBetweenMs = 1'000;   // the two questions
constexpr std::int64_t kFirstPauseMs = 2'000;
constexpr std::int64_t kLongestPauseMs = 60'000;
constexpr std::size_t kMostPlaces = 32;  // ranks whose calls are looked up in source files

template <class Waits>
auto key_of(const WaitGraph& graph, const Waits& waits) {
  std::vector<std::pair<std::uint32_t, std::int64_t>> key;
  for (std::uint32_t rank = 0; rank < graph.size(); ++rank)
    if (graph.is_stuck(rank)) key.emplace_back(rank, waits[rank].since_ns);
  return key;
}

// From where the messages of near misses were sent.
void look_up_sends(const Verdict& verdict, WaitSurvey::Waits& waits) {
  for (const NearMiss& miss : verdict.near_misses) {
    const auto sender = static_cast<std::uint32_t>(miss.message.rank);
    if (miss.message.rank < 0 || sender >= waits.size()) continue;
    for (SendPlace& send : waits[sender].sent_from) {
      if (!is_of(send, miss) || !send.place.empty()) continue;
      const auto places = source_lines(send.caller);
      if (!places.empty()) send.place = places[0];
    }
  }
}

}  // namespace

HangWatch::HangWatch(WaitSurvey& survey, Millis now) noexcept
    : survey_(survey), next_(now + WaitSurvey::kLongWait), pause_(kFirstPauseMs) {}

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
      next_ = now + WaitSurvey::kAnswerLook;
      if (!survey_.all_answered() && now < give_up_at_) break;
      if (phase_ == Phase::asked_again) return judge_again(now);
      judge_first(now);
  }
  return std::nullopt;
}

void HangWatch::put_off(Millis now) noexcept {
  phase_ = Phase::watching;
  next_ = std::max(next_, now + WaitSurvey::kLook);
}

void HangWatch::watch(Millis now) {
  next_ = now + WaitSurvey::kLook;
  const Waits waits = survey_.rough(now, WaitSurvey::kLongWait);
  const WaitGraph graph(waits);
  if (!graph.anybody_stuck()) return;
  Key key = key_of(graph, waits);
  if (key == asked_key_ && now < not_before_) return;
  if (key != asked_key_) pause_ = kFirstPauseMs;
  asked_key_ = std::move(key);
  // The question also goes to those behind them, however short they wait by now.
  const Waits everybody = survey_.rough(now, 0);
  const WaitGraph all(everybody);
  asked_.clear();
  for (std::uint32_t rank = 0; rank < all.size(); ++rank)
    if (all.is_stuck(rank)) asked_.push_back(rank);
  ask(now, Phase::asked);
}

void HangWatch::ask(Millis now, Phase phase) {
  if (!survey_.ask(asked_)) return rest(now);
  phase_ = phase;
  give_up_at_ = now + kPatienceMs;
  next_ = now + WaitSurvey::kAnswerLook;
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
  first_ = survey_.answers(now);
  const WaitGraph graph(first_);
  const auto verdict = judge(graph);
  if (!verdict || !is_new(*verdict, first_)) return rest(now);
  phase_ = Phase::pausing;
  next_ = now + kBetweenMs;
}

std::optional<HangWatch::Finding> HangWatch::judge_again(Millis now) {
  Waits waits = survey_.answers(now);
  for (std::uint32_t rank = 0; rank < survey_.job_size(); ++rank)
    if (!same_standstill(first_[rank], waits[rank])) waits[rank] = RankWait{};
  const auto verdict = judge(WaitGraph(waits));
  rest(now);
  if (!verdict || !is_new(*verdict, waits)) return std::nullopt;
  return make_finding(*verdict, waits);
}

HangWatch::Finding HangWatch::make_finding(const Verdict& verdict, Waits& waits) {
  for (const Knot& knot : verdict.knots)
    for (const std::uint32_t rank : knot.ranks) told_[rank] = waits[rank].since_ns;
  std::map<std::string, std::vector<std::string>> known;
  Millis shortest = INT64_MAX;
  for (const std::uint32_t rank : asked_) {
    RankWait& wait = waits[rank];
    if (wait.state != RankWait::State::waits || wait.function.empty()) continue;
    shortest = std::min(shortest, wait.waited_ms);
    if (known.size() < kMostPlaces && known.count(wait.callers) == 0)
      known[wait.callers] = source_lines(wait.callers);
    if (const auto found = known.find(wait.callers); found != known.end())
      wait.places = found->second;
  }
  look_up_sends(verdict, waits);
  const WaitGraph graph(waits);
  const double seconds = static_cast<double>(shortest == INT64_MAX ? 0 : shortest) * 1e-3;
  return {describe(verdict, graph, seconds), as_json(verdict, graph, seconds),
          as_dot(verdict, graph), as_svg(verdict, graph)};
}

void HangWatch::rest(Millis now) noexcept {
  phase_ = Phase::watching;
  next_ = now + WaitSurvey::kLook;
  not_before_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongestPauseMs);
}

}  // namespace tessera::launcher
