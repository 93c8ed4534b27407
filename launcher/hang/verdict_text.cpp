// SPDX-License-Identifier: BSD-3-Clause
// A verdict in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "launcher/hang/verdict.h"
#include "launcher/hang/wait_words.h"
#include "tessera/comm.h"

namespace tessera::launcher {

std::string list_of(const std::vector<std::uint32_t>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, next = 0; first < ranks.size(); first = next) {
    for (next = first + 1; next < ranks.size() && ranks[next] == ranks[next - 1] + 1;) ++next;
    parts.push_back(next - first == 1   ? fmt::format("{}", ranks[first])
                    : next - first == 2 ? fmt::format("{}, {}", ranks[first], ranks[next - 1])
                                        : fmt::format("{}-{}", ranks[first], ranks[next - 1]));
  }
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(parts, ", "));
}

std::string name_of_comm(const KnownComm* comm) {
  if (comm == nullptr) return "an unknown communicator";
  if (comm->flavor != 0) return name_of_window(*comm);
  if (!comm->name.empty()) return comm->name;
  return fmt::format("an unnamed communicator of {} processes", comm->processes);
}

std::string tag_text(std::int32_t tag) {
  return tag == kAnyTag ? "any tag" : fmt::format("tag {}", tag);
}

std::string rank_text(const ReportedWait& wait, const char* where) {
  if (wait.peer < 0) return "any rank";
  if (wait.rank < 0) return fmt::format("process {} of another job", wait.peer);
  if (wait.rank == wait.peer) return fmt::format("rank {}", wait.rank);
  return fmt::format("rank {} ({} in the {})", wait.rank, wait.peer, where);
}

namespace {

using Kind = ReportedWait::Kind;
using State = RankWait::State;
constexpr std::size_t kMostLines = 32;
constexpr std::size_t kMostWaits = 4;

const char* what_of_message(Kind kind) noexcept {
  switch (kind) {
    case Kind::send:
      return "for a receive by";
    case Kind::partitions:
      return "for partitions of a message from";
    case Kind::marks:
      return "for its own MPI_Pready of partitions to";
    default:
      return "for a message from";
  }
}

std::string message_wait(const RankWait& rank, const ReportedWait& wait) {
  const std::string size = wait.bytes > 0 ? fmt::format(", {} bytes", wait.bytes) : "";
  return fmt::format("{} {} ({}{}, {})", what_of_message(wait.kind), rank_text(wait),
                     tag_text(wait.tag), size, name_of_comm(rank.comm_of(wait)));
}

std::string collective_wait(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait) {
  const KnownComm* const comm = graph.rank(rank).comm_of(wait);
  const std::string which =
      wait.nonblocking != 0
          ? fmt::format("nonblocking {} {} on {}", wait.operation, wait.number, name_of_comm(comm))
          : fmt::format("collective call {} on {}", wait.number, name_of_comm(comm));
  return fmt::format("{} to come to {}", list_of(graph.servers(rank, wait)), which);
}

std::string one_wait(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait,
                     WaitsShown shown) {
  const RankWait& mine = graph.rank(rank);
  switch (wait.kind) {
    case Kind::receive:
    case Kind::probe:
    case Kind::send:
    case Kind::partitions:
    case Kind::marks:
      return message_wait(mine, wait);
    case Kind::collective:
      return "for " + collective_wait(graph, rank, wait);
    case Kind::others:
      return wait.comm >= 0
                 ? fmt::format("for the other processes of {}", name_of_comm(mine.comm_of(wait)))
                 : "for other processes";
    case Kind::exclusive_lock:
    case Kind::shared_lock:
    case Kind::post:
    case Kind::completion:
    case Kind::arrival:
    case Kind::answer:
      return window_wait(graph, rank, wait, shown);
    case Kind::unknown:
      break;
  }
  return "for something else";
}

std::string standing(const RankWait& rank) {
  return rank.finalizes() ? "is in MPI_Finalize" : rank.standing;
}

std::string line(const std::vector<std::uint32_t>& ranks, const std::string& text) {
  return fmt::format("  {} {}\n", list_of(ranks), text);
}

// Ranks of which the same is to be said share a line.
std::string lines(const WaitGraph& graph, const std::vector<std::uint32_t>& ranks) {
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> groups;
  for (const std::uint32_t rank : ranks) {
    std::string text = describe_waits(graph, rank, true);
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.first == text; });
    if (same != groups.end())
      same->second.push_back(rank);
    else
      groups.push_back({std::move(text), {rank}});
  }
  std::string all;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == kMostLines) return all + fmt::format("  and {} more\n", groups.size() - i);
    const char* const verb = groups[i].second.size() == 1 ? "is" : "are";
    all += line(groups[i].second, fmt::format("{} {}", verb, groups[i].first));
  }
  return all;
}

// What is to be said of ranks that the others wait for and that are gone.
std::string gone_lines(const WaitGraph& graph, const Knot& knot) {
  std::vector<std::uint32_t> gone;
  for (const std::uint32_t rank : knot.ranks)
    for (const std::uint32_t other : graph.waits_for(rank))
      if (graph.rank(other).state == State::gone) gone.push_back(other);
  std::sort(gone.begin(), gone.end());
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
  std::string all;
  for (const std::uint32_t rank : gone) all += line({rank}, standing(graph.rank(rank)));
  return all;
}

std::string unreceived(const Unreceived& one, const WaitGraph& graph) {
  const KnownComm* const comm = graph.rank(one.sender).comm_with(one.message.context);
  return fmt::format("  never received: the message of rank {} to rank {} (tag {}, {} bytes, {})\n",
                     one.sender, one.message.rank, one.message.tag, one.message.bytes,
                     comm != nullptr ? name_of_comm(comm) : "another communicator");
}

std::size_t count_stuck(const WaitGraph& graph) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < graph.size(); ++i) count += graph.is_stuck(i) ? 1 : 0;
  return count;
}

std::string threads_asleep(std::uint32_t count) {
  return fmt::format("{} sleep{} until another thread of this rank wakes {}",
                     count == 1 ? "a thread" : fmt::format("{} threads", count),
                     count == 1 ? "s" : "", count == 1 ? "it" : "them");
}

std::string thread_waits(const WaitGraph& graph, std::uint32_t rank, std::size_t thread,
                         WaitsShown shown) {
  const RankWait& mine = graph.rank(rank);
  std::vector<std::string> waits;
  for (const ReportedWait& wait : mine.waits) {
    if (wait.thread != thread) continue;
    if (!is_shown(graph, rank, wait, shown) || is_told_before(graph, rank, wait, shown)) continue;
    if (waits.size() == kMostWaits) {
      waits.push_back("...");
      break;
    }
    waits.push_back(one_wait(graph, rank, wait, shown));
  }
  return fmt::format(", waiting {}",
                     fmt::join(waits, mine.any_is_enough(thread) ? " or " : " and "));
}

}  // namespace

std::string describe_waits(const WaitGraph& graph, std::uint32_t rank, bool with_place,
                           WaitsShown shown) {
  const RankWait& mine = graph.rank(rank);
  if (mine.function.empty()) return "outside MPI: " + threads_asleep(mine.outside);
  std::string text = "in " + mine.function;
  if (with_place && !mine.places.empty()) {
    text += " at " + mine.places[0];
    if (mine.places.size() > 1) text += ", called at " + mine.places[1];
  }
  text += thread_waits(graph, rank, 0, shown);
  for (std::size_t i = 0; i < mine.further.size(); ++i)
    text += fmt::format("; another thread is in {}{}", mine.further[i].function,
                        thread_waits(graph, rank, i + 1, shown));
  if (mine.outside > 0) text += "; outside MPI, " + threads_asleep(mine.outside);
  return text;
}

std::string describe(const Verdict& verdict, const WaitGraph& graph, double waited_s) {
  const std::size_t stuck = count_stuck(graph);
  std::string text = fmt::format(
      "the job hangs: {} of its {} ranks cannot go on (nothing has moved for {:.1f} s)\n",
      stuck == graph.size() ? "all" : fmt::format("{}", stuck), graph.size(), waited_s);
  for (const Knot& knot : verdict.knots) {
    text += lines(graph, knot.ranks) + gone_lines(graph, knot);
    text += "  cause: " + remedy(verdict, knot, graph) + "\n";
  }
  for (const Unreceived& one : verdict.unreceived) text += unreceived(one, graph);
  for (const NearMiss& miss : verdict.near_misses) text += describe(miss, graph);
  if (!verdict.behind.empty()) text += "  behind them:\n" + lines(graph, verdict.behind);
  return text;
}

}  // namespace tessera::launcher
