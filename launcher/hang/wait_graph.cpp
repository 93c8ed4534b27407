// SPDX-License-Identifier: BSD-3-Clause
// The largest set of ranks none of which can go on without another one of the set.
#include "launcher/hang/wait_graph.h"

#include <algorithm>
#include <numeric>

#include "core/request/partitioned_numbers.h"
#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;
using State = RankWait::State;

bool takes(const ReportedWait& wait, std::int32_t tag) noexcept {
  return wait.tag == kAnyTag || wait.tag == tag;
}

bool is_lock(Kind kind) noexcept {
  return kind == Kind::exclusive_lock || kind == Kind::shared_lock;
}

// Of one other process, which `peer` names.
bool is_of_one(Kind kind) noexcept {
  switch (kind) {
    case Kind::receive:
    case Kind::probe:
    case Kind::send:
    case Kind::partitions:
    case Kind::post:
    case Kind::completion:
    case Kind::answer:
      return true;
    default:
      return false;
  }
}

bool excludes(const ReportedHold& hold, const ReportedWait& wait) noexcept {
  const bool shares =
      hold.kind == ReportedHold::Kind::shared_lock && wait.kind == Kind::shared_lock;
  return hold.kind != ReportedHold::Kind::exposure && !shares;
}

}  // namespace

std::string RankWait::in_short() const {
  if (state == State::active) return "works";
  if (state == State::gone) return standing;
  return function.empty() ? "outside MPI" : function;
}

const KnownComm* RankWait::comm_with(std::uint64_t context) const noexcept {
  const auto found = std::find_if(comms.begin(), comms.end(), [context](const KnownComm& comm) {
    return comm.context == context;
  });
  return found != comms.end() ? &*found : nullptr;
}

// From all that wait, those that may go on are taken out until none is left that may.
WaitGraph::WaitGraph(std::span<const RankWait> ranks) : ranks_(ranks), stuck_(ranks.size()) {
  for (std::uint32_t i = 0; i < size(); ++i) stuck_[i] = ranks_[i].state == State::waits;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (!stuck_[i] || !must_go_on(i)) continue;
      stuck_[i] = false;
      changed = true;
    }
  }
}

bool WaitGraph::anybody_stuck() const noexcept {
  return std::find(stuck_.begin(), stuck_.end(), true) != stuck_.end();
}

bool WaitGraph::must_go_on(std::uint32_t rank) const {
  const RankWait& mine = ranks_[rank];
  if (mine.function.empty()) return mine.outside == 0;
  for (std::size_t thread = 0; thread <= mine.further.size(); ++thread)
    if (goes_on(rank, thread)) return true;
  return false;
}

bool WaitGraph::goes_on(std::uint32_t rank, std::size_t thread) const {
  bool all = true, none = true;
  for (const ReportedWait& wait : ranks_[rank].waits) {
    if (wait.thread != thread) continue;
    const bool hopeless = is_hopeless(rank, wait);
    all = all && hopeless;
    none = none && !hopeless;
  }
  return none || (ranks_[rank].any_is_enough(thread) && !all);
}

bool WaitGraph::is_hopeless(std::uint32_t rank, const ReportedWait& wait) const {
  if (wait.kind == Kind::unknown || wait.matched != 0 || can_come(rank, wait)) return false;
  const auto is_gone = [this](std::uint32_t other) { return ranks_[other].state == State::gone; };
  const auto all = servers(rank, wait);
  if (wait.kind == Kind::answer) return std::all_of(all.begin(), all.end(), is_gone);
  if (wait.kind == Kind::completion && is_over(rank, wait)) return false;
  if (is_lock(wait.kind)) {
    const auto known = holders(rank, wait);
    if (!known.empty())
      return std::any_of(known.begin(), known.end(),
                         [this](std::uint32_t other) { return stuck_[other]; });
  }
  return std::all_of(all.begin(), all.end(),
                     [&](std::uint32_t other) { return stuck_[other] || is_gone(other); });
}

// What a process in a call holds it has said; of one that works nobody knows it.
std::vector<std::uint32_t> WaitGraph::holders(std::uint32_t rank, const ReportedWait& wait) const {
  std::vector<std::uint32_t> found;
  const KnownComm* const window = ranks_[rank].comm_of(wait);
  if (window == nullptr || !is_lock(wait.kind)) return found;
  for (std::uint32_t other = 0; other < size(); ++other) {
    const auto& holds = ranks_[other].holds;
    if (ranks_[other].state != State::waits) continue;
    if (std::any_of(holds.begin(), holds.end(), [&](const ReportedHold& hold) {
          const bool same = hold.rank == wait.rank || hold.rank == kEveryRank || wait.peer < 0;
          return hold.window == window->context && same && excludes(hold, wait);
        }))
      found.push_back(other);
  }
  return found;
}

// Who is in a call and owes nothing has completed the epoch.
bool WaitGraph::is_over(std::uint32_t rank, const ReportedWait& wait) const {
  const KnownComm* const window = ranks_[rank].comm_of(wait);
  if (wait.kind != Kind::completion || window == nullptr || wait.rank < 0) return false;
  const auto origin = static_cast<std::uint32_t>(wait.rank);
  if (origin >= size() || ranks_[origin].state != State::waits) return false;
  const auto& holds = ranks_[origin].holds;
  return std::none_of(holds.begin(), holds.end(), [&](const ReportedHold& hold) {
    return hold.kind == ReportedHold::Kind::exposure && hold.window == window->context &&
           hold.rank == static_cast<std::int32_t>(rank);
  });
}

std::vector<std::uint32_t> WaitGraph::servers(std::uint32_t rank, const ReportedWait& wait) const {
  const KnownComm* const comm = ranks_[rank].comm_of(wait);
  if (wait.kind == Kind::marks) return {rank};
  if (is_of_one(wait.kind) && wait.peer >= 0) {
    if (wait.rank >= 0 && static_cast<std::uint32_t>(wait.rank) < size())
      return {static_cast<std::uint32_t>(wait.rank)};
    return everybody_else(rank, nullptr);
  }
  if (auto known = holders(rank, wait); !known.empty()) return known;
  const bool all = wait.kind == Kind::collective || wait.kind == Kind::arrival;
  return all ? missing_in(rank, wait) : everybody_else(rank, comm);
}

// Without a list of members, all of the job.
std::vector<std::uint32_t> WaitGraph::everybody_else(std::uint32_t rank,
                                                     const KnownComm* comm) const {
  std::vector<std::uint32_t> others;
  if (comm != nullptr && comm->all_members) {
    others = comm->members;
  } else {
    others.resize(size());
    std::iota(others.begin(), others.end(), 0);
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  std::erase_if(others, [&](std::uint32_t other) { return other == rank || other >= size(); });
  return others;
}

bool WaitGraph::same_call(std::uint32_t one, const ReportedWait& first, std::uint32_t other,
                          const ReportedWait& second) const noexcept {
  const KnownComm* const a = ranks_[one].comm_of(first);
  const KnownComm* const b = ranks_[other].comm_of(second);
  return first.kind == Kind::collective && second.kind == Kind::collective && a != nullptr &&
         b != nullptr && a->context == b->context && first.number == second.number &&
         first.nonblocking == second.nonblocking;
}

bool WaitGraph::takes_part(std::uint32_t other, std::uint32_t rank,
                           const ReportedWait& wait) const noexcept {
  const auto& theirs = ranks_[other].waits;
  return ranks_[other].state == State::waits &&
         std::any_of(theirs.begin(), theirs.end(),
                     [&](const ReportedWait& one) { return same_call(rank, wait, other, one); });
}

// In the same call on the same window, where all meet.
bool WaitGraph::is_where(std::uint32_t other, std::uint32_t rank,
                         const ReportedWait& wait) const noexcept {
  const RankWait& theirs = ranks_[other];
  const KnownComm* const window = ranks_[rank].comm_of(wait);
  return theirs.state == State::waits && theirs.function == ranks_[rank].function &&
         std::any_of(theirs.waits.begin(), theirs.waits.end(), [&](const ReportedWait& one) {
           const KnownComm* const another = theirs.comm_of(one);
           return one.kind == Kind::arrival && another != nullptr &&
                  another->context == window->context;
         });
}

// Whether it has made this call, and left it.
bool WaitGraph::has_passed(std::uint32_t other, const KnownComm& comm,
                           const ReportedWait& wait) const noexcept {
  if (wait.nonblocking != 0 || ranks_[other].state != State::waits) return false;
  const KnownComm* const theirs = ranks_[other].comm_with(comm.context);
  return theirs != nullptr && theirs->calls >= wait.number;
}

// Those that have not made the call, as far as that is known; if all have, any of them.
std::vector<std::uint32_t> WaitGraph::missing_in(std::uint32_t rank,
                                                 const ReportedWait& wait) const {
  const KnownComm* const comm = ranks_[rank].comm_of(wait);
  const std::vector<std::uint32_t> others = everybody_else(rank, comm);
  if (comm == nullptr) return others;
  std::vector<std::uint32_t> missing;
  for (const std::uint32_t other : others)
    if (wait.kind == Kind::arrival
            ? !is_where(other, rank, wait)
            : !takes_part(other, rank, wait) && !has_passed(other, *comm, wait))
      missing.push_back(other);
  return missing.empty() ? others : missing;
}

// Whether the message that is waited for has been sent. Parts of a partitioned one have tags of
// their own, on the context of collective operations, whose messages do not count.
bool WaitGraph::can_come(std::uint32_t rank, const ReportedWait& wait) const {
  const bool parts = wait.kind == Kind::partitions;
  if (wait.kind != Kind::receive && wait.kind != Kind::probe && !parts) return false;
  const KnownComm* const comm = ranks_[rank].comm_of(wait);
  if (comm == nullptr) return parts;
  const std::uint64_t context = comm->context + (parts ? 1 : 0);
  const auto fits = [&](const ReportedMessage& message) {
    return message.context == context &&
           (parts ? is_partitioned(message.source) : takes(wait, message.tag));
  };
  const auto mine = [&](const ReportedMessage& message) {
    const bool from = wait.peer < 0 || wait.rank < 0 || message.rank == wait.rank;
    return from && fits(message);
  };
  if (std::any_of(ranks_[rank].arrived.begin(), ranks_[rank].arrived.end(), mine)) return true;
  for (const std::uint32_t other : servers(rank, wait)) {
    const auto& sends = ranks_[other].sends;
    if (std::any_of(sends.begin(), sends.end(), [&](const ReportedMessage& message) {
          return message.matched == 0 && message.rank == static_cast<std::int32_t>(rank) &&
                 fits(message);
        }))
      return true;
  }
  return false;
}

std::vector<std::uint32_t> WaitGraph::waits_for(std::uint32_t rank) const {
  std::vector<std::uint32_t> all;
  for (const ReportedWait& wait : ranks_[rank].waits) {
    if (!is_hopeless(rank, wait)) continue;
    const auto some = servers(rank, wait);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace tessera::launcher
