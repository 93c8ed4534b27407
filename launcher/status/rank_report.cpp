// SPDX-License-Identifier: BSD-3-Clause
// Asks the ranks, waits a little, and puts the answers into sentences.
#include "launcher/status/rank_report.h"

#include <fmt/format.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "core/progress/wait_report.h"
#include "launcher/hang/rank_waits.h"
#include "launcher/hang/source_lines.h"
#include "launcher/hang/verdict.h"
#include "launcher/report.h"
#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

constexpr int kRounds = 25;
constexpr timespec kRound{0, 20'000'000};
constexpr std::size_t kMostMessages = 4;  // of a rank, by name

std::int64_t now_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The number of the question, by rank; 0: the rank was not asked.
using Questions = std::vector<std::uint32_t>;

// mpiexec may have asked before: one question is answered at a time.
Questions ask(JobSegment& segment) {
  Questions questions(segment.ranks());
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    RankPage& page = segment.page(rank);
    if (page.blocked.read().function[0] == 0 || page.question.pending()) continue;
    questions[rank] = page.question.answered.load(std::memory_order_relaxed) + 1;
    page.question.asked.store(questions[rank], std::memory_order_seq_cst);
    page.bell.ring();
  }
  return questions;
}

bool has_answered(const RankPage& page, std::uint32_t question) noexcept {
  return question != 0 && page.question.answered.load(std::memory_order_acquire) == question;
}

// Those that are about to sleep when the bell rings may miss it.
void wait_for_answers(JobSegment& segment, const Questions& questions) {
  for (int round = 0; round < kRounds; ++round) {
    bool all = true;
    for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
      if (questions[rank] == 0 || has_answered(segment.page(rank), questions[rank])) continue;
      all = false;
      segment.page(rank).bell.ring();
    }
    if (all) return;
    nanosleep(&kRound, nullptr);
  }
}

std::vector<RankWait> answers(JobSegment& segment) {
  std::vector<RankWait> waits(segment.ranks());
  auto reports = wait_reports(segment);
  if (!reports.ok()) return waits;
  const Questions questions = ask(segment);
  wait_for_answers(segment, questions);
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    if (!has_answered(segment.page(rank), questions[rank])) continue;
    const WaitReport& report = (*reports)[rank];
    waits[rank] = full_wait(segment.page(rank), report);
    if (waits[rank].state == RankWait::State::waits)
      waits[rank].places =
          source_lines({report.places, strnlen(report.places, WaitReport::kPlaces)});
  }
  return waits;
}

std::string describe_message(const ReportedMessage& message, const char* direction) {
  const std::string tag = message.tag == kAnyTag ? "" : fmt::format(", tag {}", message.tag);
  return fmt::format("{} rank {}{}, {} bytes", direction, message.rank, tag, message.bytes);
}

std::string describe_messages(const std::vector<ReportedMessage>& messages, const char* what,
                              const char* direction) {
  if (messages.empty()) return {};
  std::vector<std::string> parts;
  for (const ReportedMessage& message : messages) {
    if (parts.size() == kMostMessages) {
      parts.emplace_back("...");
      break;
    }
    parts.push_back(describe_message(message, direction));
  }
  return fmt::format("      {}: {} ({})\n", what, messages.size(), fmt::join(parts, "; "));
}

std::string describe_rank(const RankPage& page, const WaitGraph& graph, std::uint32_t rank) {
  const RankWait& wait = graph.rank(rank);
  if (wait.state != RankWait::State::waits) return describe_place(page, now_ns()) + "\n";
  const double seconds = static_cast<double>(now_ns() - wait.since_ns) * 1e-9;
  return fmt::format("{}, for {:.1f} s\n", describe_waits(graph, rank, true, WaitsShown::all),
                     seconds) +
         describe_messages(wait.sends, "sent, not yet received", "to") +
         describe_messages(wait.arrived, "arrived, not yet asked for", "from");
}

}  // namespace

std::string describe_ranks(JobSegment& segment) {
  const std::vector<RankWait> waits = answers(segment);
  const WaitGraph graph(waits);
  std::string text;
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    const RankPage& page = segment.page(rank);
    text += fmt::format("  rank {} (pid {}): {}", segment.id_of(rank), page.pid.load(),
                        describe_rank(page, graph, rank));
  }
  return text;
}

}  // namespace tessera::launcher
