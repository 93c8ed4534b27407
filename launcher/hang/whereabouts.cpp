// SPDX-License-Identifier: BSD-3-Clause
// Asks the ranks, and puts the answers into sentences.
#include "launcher/hang/whereabouts.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <map>

#include "framework/text.h"
#include "launcher/hang/rank_waits.h"
#include "launcher/hang/source_lines.h"
#include "launcher/hang/wait_words.h"
#include "launcher/report.h"
#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

using State = RankWait::State;

constexpr Whereabouts::Millis kPatience = 500;
constexpr std::size_t kMostMessages = 4;  // of a rank, by name
constexpr std::size_t kMostRows = 64;     // of brief()
constexpr std::size_t kMostLookups = 32;  // that are looked up in source files

std::int64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

bool waits(const RankPage& page) noexcept {
  return page.blocked.read().function[0] != 0;
}

std::string other_side(const ReportedMessage& message) {
  if (message.rank >= 0) return fmt::format("rank {}", message.rank);
  if (message.source == kAnySource) return "any rank";
  return "a process of another job";
}

// Messages inside collective operations have odd contexts, and tags that nobody knows.
std::string envelope(const RankWait& rank, const ReportedMessage& message) {
  if (message.context % 2 != 0) return "in a collective operation";
  const KnownComm* const comm = rank.comm_with(message.context);
  return fmt::format("{}, {}", tag_text(message.tag),
                     comm != nullptr ? name_of_comm(comm) : "another communicator");
}

std::string describe_messages(const RankWait& rank, const std::vector<ReportedMessage>& messages,
                              std::uint32_t in_all, const char* what, const char* direction) {
  if (messages.empty()) return {};
  const std::size_t shown = std::min(messages.size(), kMostMessages);
  const std::size_t count = std::max<std::size_t>(messages.size(), in_all);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < shown; ++i)
    parts.push_back(fmt::format("{} {}, {}, {} bytes", direction, other_side(messages[i]),
                                envelope(rank, messages[i]), messages[i].bytes));
  if (count > shown) parts.push_back(fmt::format("and {} more", count - shown));
  return fmt::format("      {}: {} ({})\n", what, count, fmt::join(parts, "; "));
}

std::string indent(const std::string& lines) {
  std::string all;
  for (const std::string_view line : text::split(lines, '\n'))
    if (!line.empty()) all += fmt::format("      {}\n", line);
  return all;
}

std::string describe_rank(const RankPage& page, const WaitGraph& graph, std::uint32_t rank,
                          std::int64_t now_ns) {
  const RankWait& wait = graph.rank(rank);
  if (wait.state != State::waits) return describe_place(page, now_ns);
  return fmt::format("{}, for {:.1f} s", describe_waits(graph, rank, true, WaitsShown::all),
                     static_cast<double>(now_ns - wait.since_ns) * 1e-9);
}

std::string describe_traffic(const RankWait& wait) {
  if (wait.state != State::waits) return {};
  return describe_messages(wait, wait.receives, wait.receives_in_all, "receives without a message",
                           "from") +
         describe_messages(wait, wait.sends, wait.sends_in_all, "sent, not yet received", "to") +
         describe_messages(wait, wait.arrived, wait.arrived_in_all, "arrived, not yet asked for",
                           "from") +
         indent(wait.inventory);
}

// Ranks that are in the same place are looked up once.
void look_up_places(std::vector<RankWait>& ranks) {
  std::map<std::string, std::vector<std::string>> known;
  for (RankWait& rank : ranks) {
    if (rank.callers.empty()) continue;
    if (known.size() < kMostLookups && known.count(rank.callers) == 0)
      known[rank.callers] = source_lines(rank.callers);
    if (const auto found = known.find(rank.callers); found != known.end())
      rank.places = found->second;
  }
}

}  // namespace

Whereabouts::Whereabouts(std::shared_ptr<JobSegment> segment, Millis now)
    : segment_(std::move(segment)), questions_(segment_->ranks()), give_up_at_(now + kPatience) {
  if (auto room = wait_reports(*segment_); !room.ok()) return;
  for (std::uint32_t local = 0; local < segment_->ranks(); ++local)
    if (RankPage& page = segment_->page(local); waits(page)) questions_[local].emplace(page);
}

// One that has gone on since is not waited for.
bool Whereabouts::answered(Millis now) const {
  bool all = true;
  for (std::uint32_t local = 0; local < questions_.size(); ++local) {
    const auto& question = questions_[local];
    if (!question || question->answered() || !waits(segment_->page(local))) continue;
    question->repeat();
    all = false;
  }
  return all || now >= give_up_at_;
}

std::vector<RankWait> Whereabouts::reports() const {
  std::vector<RankWait> ranks(segment_->job_size());
  auto reports = wait_reports(*segment_);
  if (!reports.ok()) return ranks;
  const std::size_t known = std::min(questions_.size(), reports->size());
  for (std::uint32_t local = 0; local < known; ++local) {
    const RankPage& page = segment_->page(local);
    const std::uint32_t rank = segment_->id_of(local);
    if (rank < ranks.size() && questions_[local] && questions_[local]->answered() && waits(page))
      ranks[rank] = told_wait(page, (*reports)[local]);
  }
  look_up_places(ranks);
  return ranks;
}

std::string Whereabouts::text() const {
  const std::vector<RankWait> ranks = reports();
  const WaitGraph graph(ranks);
  std::string text;
  for (std::uint32_t local = 0; local < questions_.size(); ++local) {
    const RankPage& page = segment_->page(local);
    const std::uint32_t rank = segment_->id_of(local);
    if (rank >= graph.size()) continue;  // a rank has written over the list of ids
    text += fmt::format("  rank {} (pid {}): {}\n", rank, page.pid.load(),
                        describe_rank(page, graph, rank, monotonic_ns())) +
            describe_traffic(graph.rank(rank));
  }
  return text;
}

std::string Whereabouts::brief() const {
  struct Row {
    std::uint32_t first, last;
    std::string place;
  };
  const std::vector<RankWait> ranks = reports();
  const WaitGraph graph(ranks);
  const std::int64_t now_ns = monotonic_ns();
  std::vector<Row> rows;
  for (std::uint32_t local = 0; local < questions_.size(); ++local) {
    const std::uint32_t rank = segment_->id_of(local);
    if (rank >= graph.size()) continue;
    std::string place = describe_rank(segment_->page(local), graph, rank, now_ns);
    if (!rows.empty() && rows.back().last + 1 == rank && rows.back().place == place)
      rows.back().last = rank;
    else
      rows.push_back({rank, rank, std::move(place)});
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    const auto& [first, last, place] = rows[i];
    text += first == last ? fmt::format("  rank {}: {}\n", first, place)
                          : fmt::format("  ranks {}-{}: {}\n", first, last, place);
  }
  if (rows.size() > kMostRows) {
    const std::uint32_t rest = rows.back().last - rows[kMostRows].first + 1;
    text += fmt::format("  and {} more ranks\n", rest);
  }
  return text;
}

}  // namespace tessera::launcher
