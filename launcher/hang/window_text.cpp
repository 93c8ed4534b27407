// SPDX-License-Identifier: BSD-3-Clause
// What a rank waits for on a window, in words.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/hang/wait_words.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;

const char* maker_of(std::uint32_t flavor) noexcept {
  constexpr const char* names[] = {"", "MPI_Win_create", "MPI_Win_allocate",
                                   "MPI_Win_create_dynamic", "MPI_Win_allocate_shared"};
  return flavor < std::size(names) ? names[flavor] : "";
}

bool are_together(const ReportedWait& one, const ReportedWait& other) noexcept {
  return one.kind == other.kind && one.comm == other.comm &&
         (one.kind == Kind::post || one.kind == Kind::completion);
}

std::vector<std::uint32_t> ranks_of(const WaitGraph& graph, std::uint32_t rank,
                                    const ReportedWait& wait, WaitsShown shown) {
  std::vector<std::uint32_t> ranks;
  for (const ReportedWait& one : graph.rank(rank).waits)
    if (are_together(one, wait) && is_shown(graph, rank, one, shown) && one.rank >= 0)
      ranks.push_back(static_cast<std::uint32_t>(one.rank));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// "MPI_LOCK_EXCLUSIVE": how a holder has it.
std::string way_of_holding(const WaitGraph& graph, std::uint32_t holder, std::uint64_t window,
                           const ReportedWait& wait) {
  for (const ReportedHold& hold : graph.rank(holder).holds) {
    if (hold.window != window || hold.kind == ReportedHold::Kind::exposure) continue;
    if (hold.rank == kEveryRank) return "MPI_Win_lock_all";
    const char* const kind =
        hold.kind == ReportedHold::Kind::exclusive_lock ? "MPI_LOCK_EXCLUSIVE" : "MPI_LOCK_SHARED";
    if (wait.peer < 0) return fmt::format("{} of rank {}", kind, hold.rank);
    if (hold.rank == wait.rank) return kind;
  }
  return "";
}

// " (held by ranks 1, 2, MPI_LOCK_SHARED)", or nothing where it is not known.
std::string holders_text(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait) {
  const KnownComm* const window = graph.rank(rank).comm_of(wait);
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> ways;
  for (const std::uint32_t holder : graph.holders(rank, wait)) {
    const std::string way = way_of_holding(graph, holder, window->context, wait);
    const auto same =
        std::find_if(ways.begin(), ways.end(), [&](const auto& one) { return one.first == way; });
    if (same != ways.end())
      same->second.push_back(holder);
    else
      ways.push_back({way, {holder}});
  }
  std::vector<std::string> parts;
  for (const auto& [way, ranks] : ways) parts.push_back(fmt::format("{}, {}", list_of(ranks), way));
  return parts.empty() ? "" : fmt::format(" (held by {})", fmt::join(parts, "; "));
}

}  // namespace

std::string name_of_window(const KnownComm& window) {
  if (!window.name.empty()) return fmt::format("window \"{}\"", window.name);
  return fmt::format("an unnamed window of {} processes ({})", window.processes,
                     maker_of(window.flavor));
}

bool is_shown(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait,
              WaitsShown shown) {
  return shown == WaitsShown::hopeless ? graph.is_hopeless(rank, wait) : !graph.is_over(rank, wait);
}

bool is_told_before(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait,
                    WaitsShown shown) {
  for (const ReportedWait& one : graph.rank(rank).waits) {
    if (&one == &wait) return false;
    if (are_together(one, wait) && is_shown(graph, rank, one, shown)) return true;
  }
  return false;
}

std::string window_wait(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait,
                        WaitsShown shown) {
  const RankWait& mine = graph.rank(rank);
  const std::string window = name_of_comm(mine.comm_of(wait));
  const std::string who = wait.peer < 0 ? "all ranks" : rank_text(wait, "window");
  switch (wait.kind) {
    case Kind::exclusive_lock:
    case Kind::shared_lock:
      return fmt::format("for the {} lock of {} on {}{}",
                         wait.kind == Kind::shared_lock ? "shared" : "exclusive", who, window,
                         holders_text(graph, rank, wait));
    case Kind::post:
      return fmt::format("for MPI_Win_post by {} on {}",
                         list_of(ranks_of(graph, rank, wait, shown)), window);
    case Kind::completion:
      return fmt::format("for MPI_Win_complete by {} on {}",
                         list_of(ranks_of(graph, rank, wait, shown)), window);
    case Kind::arrival:
      return fmt::format("for {} to come to {} on {}", list_of(graph.servers(rank, wait)),
                         mine.function, window);
    default:
      return fmt::format("for an answer of {} on {}", who, window);
  }
}

}  // namespace tessera::launcher
