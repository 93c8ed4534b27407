// SPDX-License-Identifier: BSD-3-Clause
// CopyChoice: trials between ways to copy a large message.
#include "copy_choice.h"

#include <cstdio>
#include <new>

namespace tessera::ob1 {

const char* name_of(Way way) noexcept {
  constexpr std::array names{"read", "split", "stream", "eager"};
  return names[static_cast<std::size_t>(way)];
}

Turn CopySampler::next(Way usual, WaySet permitted, std::uint32_t interval) noexcept {
  if (!used()) open(usual, interval);
  Turn turn{usual};
  if (permitted.has(incumbent_)) {
    turn.way = incumbent_;
    if (stage_ == Stage::quiet && --until_trial_ == 0) begin_trial(permitted);
    const Way tried = stage_ == Stage::candidate ? candidate_ : incumbent_;
    if (stage_ != Stage::quiet && given_ < Sample::kTurns && permitted.has(tried)) {
      ++given_;
      turn = {tried, 0, trial_};
    }
  }
  ++messages_[static_cast<std::size_t>(turn.way)];
  return turn;
}

void CopySampler::open(Way usual, std::uint32_t interval) noexcept {
  incumbent_ = candidate_ = usual;
  first_interval_ = interval_ = std::max(interval, 1u);
  pause(interval_);
}

void CopySampler::begin_trial(WaySet permitted) noexcept {
  if (!find_candidate(permitted)) return pause(interval_);
  incumbent_time_ = candidate_time_ = {};
  begin_stage(Stage::incumbent);
}

// The next way after the last candidate; the same one while it wins.
bool CopySampler::find_candidate(WaySet permitted) noexcept {
  if (wins_ > 0 && permitted.has(candidate_)) return true;
  wins_ = 0;
  for (std::size_t step = 1; step <= kWays; ++step) {
    const auto way = static_cast<Way>((static_cast<std::size_t>(candidate_) + step) % kWays);
    if (way == incumbent_ || !permitted.has(way)) continue;
    candidate_ = way;
    return true;
  }
  return false;
}

void CopySampler::begin_stage(Stage stage) noexcept {
  stage_ = stage;
  given_ = 0;
  if (++trial_ == 0) ++trial_;
}

void CopySampler::took(const Turn& turn, std::uint64_t ns) noexcept {
  if (turn.trial != trial_ || stage_ == Stage::quiet) return;
  if (stage_ == Stage::incumbent) {
    incumbent_time_.add(ns);
    if (incumbent_time_.complete()) begin_stage(Stage::candidate);
    return;
  }
  candidate_time_.add(ns);
  if (candidate_time_.complete() || candidate_time_.total() > incumbent_time_.total()) end_trial();
}

// Also before the candidate's last turn, when it cannot win any more.
void CopySampler::end_trial() noexcept {
  constexpr std::uint8_t kEnough = 2;
  ++trials_;
  ns_[static_cast<std::size_t>(incumbent_)] = incumbent_time_.mean();
  ns_[static_cast<std::size_t>(candidate_)] = candidate_time_.mean();
  if (!candidate_time_.complete()) return lose(8);
  if (candidate_time_.total() * 10 >= incumbent_time_.total() * 9) return lose(2);
  if (++wins_ == kEnough) {
    std::swap(incumbent_, candidate_);
    wins_ = 0;
  }
  interval_ = first_interval_;
  pause(interval_);
}

void CopySampler::lose(std::uint32_t factor) noexcept {
  wins_ = 0;
  interval_ = std::min(factor * interval_, kLongestFactor * first_interval_);
  pause(interval_);
}

void CopySampler::pause(std::uint32_t messages) noexcept {
  stage_ = Stage::quiet;
  until_trial_ = messages;
}

static std::string size_text(std::uint64_t bytes) {
  return bytes >= 1 << 20 ? std::to_string(bytes >> 20) + " MiB"
                          : std::to_string(bytes >> 10) + " KiB";
}

static void describe_way(std::string& text, const CopySampler& sampler, Way way) {
  char part[96];
  const double us = static_cast<double>(sampler.ns(way)) / 1000;
  if (sampler.ns(way) > 0)
    std::snprintf(part, sizeof part, "; %s %.1f us", name_of(way), us);
  else
    std::snprintf(part, sizeof part, "; %s not measured", name_of(way));
  if (sampler.ns(way) > 0 || sampler.messages(way) > 0) text += part;
}

void CopyChoice::describe(std::string& text) const {
  for (std::size_t at = 0; at < samplers_.size(); ++at) {
    const CopySampler& sampler = samplers_[at];
    if (!sampler.used()) continue;
    text += "    from " + size_text(std::uint64_t{1} << (kSmallest + at)) + ": " +
            name_of(sampler.incumbent());
    for (std::size_t way = 0; way < kWays; ++way)
      describe_way(text, sampler, static_cast<Way>(way));
    text += "; " + std::to_string(sampler.trials()) +
            (sampler.trials() == 1 ? " trial\n" : " trials\n");
  }
}

CopyChoice* made(std::unique_ptr<CopyChoice>& choice, std::uint32_t interval) noexcept {
  if (choice == nullptr) choice.reset(new (std::nothrow) CopyChoice(interval));
  return choice.get();
}

}  // namespace tessera::ob1
