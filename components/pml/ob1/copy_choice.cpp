// SPDX-License-Identifier: BSD-3-Clause
// CopyChoice: trials between ways to copy a large message.
#include "copy_choice.h"

#include <cstdio>

namespace tessera::ob1 {

const char* name_of(Way way) noexcept {
  constexpr std::array names{"read", "split", "stream"};
  return names[static_cast<std::size_t>(way)];
}

Turn Contest::next(Way usual, WaySet permitted, std::uint32_t interval) noexcept {
  if (!used()) open(usual, interval);
  Turn turn{usual};
  if (permitted.has(holder_)) {
    turn.way = holder_;
    if (stage_ == Stage::quiet && --until_trial_ == 0) begin_trial(permitted);
    const Way tried = stage_ == Stage::challenger ? challenger_ : holder_;
    if (stage_ != Stage::quiet && given_ < Sample::kTurns && permitted.has(tried)) {
      ++given_;
      turn = {tried, 0, trial_};
    }
  }
  ++messages_[static_cast<std::size_t>(turn.way)];
  return turn;
}

void Contest::open(Way usual, std::uint32_t interval) noexcept {
  holder_ = challenger_ = usual;
  first_interval_ = interval_ = std::max(interval, 1u);
  pause(interval_);
}

void Contest::begin_trial(WaySet permitted) noexcept {
  if (!find_challenger(permitted)) return pause(interval_);
  held_ = challenged_ = {};
  begin_stage(Stage::holder);
}

// The next way after the last challenger; the same one while it wins.
bool Contest::find_challenger(WaySet permitted) noexcept {
  if (wins_ > 0 && permitted.has(challenger_)) return true;
  wins_ = 0;
  for (std::size_t step = 1; step <= kWays; ++step) {
    const auto way = static_cast<Way>((static_cast<std::size_t>(challenger_) + step) % kWays);
    if (way == holder_ || !permitted.has(way)) continue;
    challenger_ = way;
    return true;
  }
  return false;
}

void Contest::begin_stage(Stage stage) noexcept {
  stage_ = stage;
  given_ = 0;
  if (++trial_ == 0) ++trial_;
}

void Contest::took(const Turn& turn, std::uint64_t ns) noexcept {
  if (turn.trial != trial_ || stage_ == Stage::quiet) return;
  if (stage_ == Stage::holder) {
    held_.add(ns);
    if (held_.complete()) begin_stage(Stage::challenger);
    return;
  }
  challenged_.add(ns);
  if (challenged_.complete() || challenged_.total() > held_.total()) end_trial();
}

// Also before the challenger's last turn, when it cannot win any more.
void Contest::end_trial() noexcept {
  constexpr std::uint8_t kEnough = 2;
  ++trials_;
  ns_[static_cast<std::size_t>(holder_)] = held_.mean();
  ns_[static_cast<std::size_t>(challenger_)] = challenged_.mean();
  if (!challenged_.complete()) return lose(8);
  if (challenged_.total() * 10 >= held_.total() * 9) return lose(2);
  if (++wins_ == kEnough) {
    std::swap(holder_, challenger_);
    wins_ = 0;
  }
  interval_ = first_interval_;
  pause(interval_);
}

void Contest::lose(std::uint32_t factor) noexcept {
  wins_ = 0;
  interval_ = std::min(factor * interval_, kLongestFactor * first_interval_);
  pause(interval_);
}

void Contest::pause(std::uint32_t messages) noexcept {
  stage_ = Stage::quiet;
  until_trial_ = messages;
}

static std::string size_text(std::uint64_t bytes) {
  return bytes >= 1 << 20 ? std::to_string(bytes >> 20) + " MiB"
                          : std::to_string(bytes >> 10) + " KiB";
}

static void describe_way(std::string& text, const Contest& contest, Way way) {
  char part[96];
  const double us = static_cast<double>(contest.ns(way)) / 1000;
  if (contest.ns(way) > 0)
    std::snprintf(part, sizeof part, "; %s %.1f us", name_of(way), us);
  else
    std::snprintf(part, sizeof part, "; %s not measured", name_of(way));
  if (contest.ns(way) > 0 || contest.messages(way) > 0) text += part;
}

void CopyChoice::describe(std::string& text) const {
  for (std::size_t at = 0; at < contests_.size(); ++at) {
    const Contest& contest = contests_[at];
    if (!contest.used()) continue;
    text += "    from " + size_text(std::uint64_t{1} << (kSmallest + at)) + ": " +
            name_of(contest.holder());
    for (std::size_t way = 0; way < kWays; ++way)
      describe_way(text, contest, static_cast<Way>(way));
    text += "; " + std::to_string(contest.trials()) +
            (contest.trials() == 1 ? " trial\n" : " trials\n");
  }
}

}  // namespace tessera::ob1
