// SPDX-License-Identifier: BSD-3-Clause
// From the pages and reports of ranks to the nodes of a graph.
#include "launcher/hang/rank_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "framework/text.h"
#include "launcher/hang/outside_threads.h"
#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;
using State = RankWait::State;

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return {text, strnlen(text, N)};
}

// What was written into the report itself, as often as that fits.
template <class T, std::size_t N>
std::vector<T> first_of(const T (&list)[N], std::uint32_t count) {
  return {list, list + std::min<std::size_t>(count, N)};
}

RankWait gone(const char* standing) {
  RankWait rank;
  rank.state = State::gone;
  rank.standing = standing;
  return rank;
}

// True when the state alone tells.
bool is_told_by_state(const RankPage& page, RankWait& rank) {
  switch (page.state.load(std::memory_order_acquire)) {
    case RankState::finalized:
      return rank = gone("has called MPI_Finalize"), true;
    case RankState::ended:
      return rank = gone("has ended"), true;
    case RankState::failed:
      return rank = gone("has died"), true;
    case RankState::initialised:
    case RankState::finalizing:
      return false;
    default:
      return true;
  }
}

bool names_one_peer(std::string_view function) noexcept {
  for (const char* name :
       {"MPI_Recv", "MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Probe", "MPI_Mprobe"})
    if (function.starts_with(name)) return !function.starts_with("MPI_Sendrecv");
  return false;
}

// These may wait for one process, a lock's holder say, whatever the others do.
bool is_one_sided(std::string_view function) noexcept {
  for (const char* name :
       {"MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush", "MPI_Win_start", "MPI_Win_complete",
        "MPI_Win_wait", "MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Rput", "MPI_Rget",
        "MPI_Raccumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"})
    if (function.starts_with(name)) return true;
  return false;
}

KnownComm comm_of(const ReportedComm& reported, std::size_t ranks) {
  KnownComm comm;
  comm.context = reported.context;
  comm.name = text_of(reported.name);
  comm.calls = reported.calls;
  comm.processes = reported.processes;
  comm.all_members = reported.all_members != 0;
  comm.flavor = reported.flavor;
  for (const ReportedComm::Run& run : first_of(reported.run, reported.runs)) {
    for (std::uint64_t i = 0; i < run.count && comm.members.size() <= ranks; ++i)
      comm.members.push_back(static_cast<std::uint32_t>(run.first + i * run.step));
  }
  return comm;
}

template <class Number>
bool read_number(std::string_view word, Number& number) noexcept {
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && stop == word.data() + word.size();
}

std::vector<SendPlace> send_places(const std::string& lines) {
  std::vector<SendPlace> all;
  for (const std::string_view line : text::split(lines, '\n')) {
    const auto words = text::split(line, '\t');
    SendPlace one;
    if (words.size() == 6 && read_number(words[0], one.rank) && read_number(words[1], one.tag) &&
        read_number(words[2], one.context)) {
      one.caller = fmt::format("{}\t{}\t{}\n", words[3], words[4], words[5]);
      all.push_back(std::move(one));
    }
  }
  return all;
}

void mend(ReportedWait& wait, std::size_t further) noexcept {
  wait.operation[sizeof wait.operation - 1] = 0;
  if (wait.thread > further) wait.thread = 0;
}

// False: a thread outside of MPI may be the one to make the call that is missing.
bool add_outside(const RankPage& page, const WaitReport& report, RankWait& rank) {
  std::vector<std::int32_t> inside{report.thread, report.agent};
  for (const ReportedThread& further : first_of(report.further_thread, report.further))
    inside.push_back(further.id);
  auto outside = asleep_outside(page.pid.load(std::memory_order_relaxed), inside);
  if (!outside) return false;
  rank.outside = outside->count;
  rank.switches = std::move(outside->switches);
  return true;
}

}  // namespace

RankWait rough_wait(const RankPage& page, const Blocked& blocked) {
  RankWait rank;
  if (is_told_by_state(page, rank) || blocked.function[0] == 0) return rank;
  rank.state = State::waits;
  rank.function = text_of(blocked.function);
  rank.since_ns = blocked.since_ns;
  ReportedWait wait{};
  wait.kind = Kind::others;
  wait.comm = -1;
  wait.rank = kNoRank;
  if (names_one_peer(rank.function) && blocked.peer >= 0 && blocked.peer_in_job >= 0) {
    wait.kind = Kind::send;  // of which no message is looked for
    wait.peer = static_cast<std::int32_t>(blocked.peer);
    wait.rank = static_cast<std::int32_t>(blocked.peer_in_job);
  }
  if (is_one_sided(rank.function)) wait.kind = Kind::marks;  // by itself: the report tells of whom
  rank.waits.push_back(wait);
  return rank;
}

RankWait full_wait(const RankPage& page, const WaitReport& report) {
  RankWait rank = told_wait(page, report);
  if (rank.state != State::waits) return rank;
  const bool threads_known = report.threads == 0 || add_outside(page, report, rank);
  return report.whole != 0 && threads_known ? rank : RankWait{};
}

RankWait told_wait(const RankPage& page, const WaitReport& report) {
  RankWait rank;
  if (is_told_by_state(page, rank)) return rank;
  rank.state = State::waits;
  rank.function = text_of(report.function);
  rank.since_ns = report.since_ns;
  rank.standstill = report.standstill;
  rank.any = report.any != 0;
  rank.waits = first_of(report.wait, report.waits);
  for (const ReportedThread& further : first_of(report.further_thread, report.further))
    rank.further.push_back({text_of(further.function), further.any != 0});
  for (ReportedWait& wait : rank.waits) mend(wait, rank.further.size());
  rank.sends = first_of(report.send, report.sends);
  rank.arrived = first_of(report.arrived, report.unexpected);
  rank.holds = first_of(report.hold, report.holds);
  rank.receives = first_of(report.receive, report.receives);
  rank.sends_in_all = report.sends_in_all;
  rank.arrived_in_all = report.unexpected_in_all;
  rank.receives_in_all = report.receives_in_all;
  for (const ReportedComm& comm : first_of(report.comm, report.comms))
    rank.comms.push_back(comm_of(comm, 1u << 20));
  rank.callers = text_of(report.places);
  rank.inventory = text_of(report.inventory);
  rank.sent_from = send_places(text_of(report.sent));
  return rank;
}

RankWait outside_wait(const RankPage& page) {
  RankWait rank;
  if (is_told_by_state(page, rank)) return rank;
  auto outside = asleep_outside(page.pid.load(std::memory_order_relaxed), {});
  if (!outside) return rank;
  rank.state = State::waits;
  rank.outside = outside->count;
  rank.switches = std::move(outside->switches);
  return rank;
}

bool same_standstill(const RankWait& one, const RankWait& other) noexcept {
  const auto same = [](const auto& a, const auto& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
  };
  return one.state == other.state && one.since_ns == other.since_ns &&
         one.standstill == other.standstill && one.function == other.function &&
         one.switches == other.switches && same(one.waits, other.waits) &&
         same(one.sends, other.sends) && same(one.arrived, other.arrived) &&
         same(one.holds, other.holds);
}

}  // namespace tessera::launcher
