// SPDX-License-Identifier: BSD-3-Clause
// What is wrong in a knot, and what would resolve it.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/hang/verdict.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;

bool all_are(const Knot& knot, const WaitGraph& graph, Kind kind) {
  return std::all_of(knot.ranks.begin(), knot.ranks.end(), [&](std::uint32_t rank) {
    const auto& waits = graph.rank(rank).waits;
    return std::all_of(waits.begin(), waits.end(), [&](const ReportedWait& wait) {
      return wait.kind == kind || !graph.is_hopeless(rank, wait);
    });
  });
}

bool has_marks(const Knot& knot, const WaitGraph& graph) {
  return std::any_of(knot.ranks.begin(), knot.ranks.end(), [&](std::uint32_t rank) {
    const auto& waits = graph.rank(rank).waits;
    return std::any_of(waits.begin(), waits.end(),
                       [](const ReportedWait& wait) { return wait.kind == Kind::marks; });
  });
}

bool is_lock(const ReportedWait& wait) noexcept {
  return wait.kind == Kind::exclusive_lock || wait.kind == Kind::shared_lock;
}

bool has_lock(const Knot& knot, const WaitGraph& graph) {
  return std::any_of(knot.ranks.begin(), knot.ranks.end(), [&](std::uint32_t rank) {
    const auto& waits = graph.rank(rank).waits;
    return std::any_of(waits.begin(), waits.end(), is_lock);
  });
}

bool all_wait_for_locks(const Knot& knot, const WaitGraph& graph) {
  return std::all_of(knot.ranks.begin(), knot.ranks.end(), [&](std::uint32_t rank) {
    const auto& waits = graph.rank(rank).waits;
    return std::all_of(waits.begin(), waits.end(), is_lock);
  });
}

bool has_near_miss(const Verdict& verdict, const Knot& knot) {
  return std::any_of(
      verdict.near_misses.begin(), verdict.near_misses.end(), [&](const NearMiss& miss) {
        return std::find(knot.ranks.begin(), knot.ranks.end(), miss.receiver) != knot.ranks.end();
      });
}

bool meets_on_window(const Knot& knot, const WaitGraph& graph) {
  return std::any_of(knot.ranks.begin(), knot.ranks.end(), [&](std::uint32_t rank) {
    const auto& waits = graph.rank(rank).waits;
    return std::any_of(waits.begin(), waits.end(),
                       [](const ReportedWait& wait) { return wait.kind == Kind::arrival; });
  });
}

bool has_unreceived(const Verdict& verdict, const Knot& knot) {
  return std::any_of(
      verdict.unreceived.begin(), verdict.unreceived.end(), [&](const Unreceived& one) {
        return std::find(knot.ranks.begin(), knot.ranks.end(), one.sender) != knot.ranks.end();
      });
}

std::string of_cycle(const Verdict& verdict, const Knot& knot, const WaitGraph& graph) {
  if (has_near_miss(verdict, knot))
    return "a message has come that the receive does not ask for; give both the same tag and "
           "communicator";
  if (all_are(knot, graph, Kind::send))
    return "they all send, and none receives; messages of this size (and all of MPI_Ssend) wait "
           "for their receiver. Use MPI_Sendrecv or MPI_Isend, or let one of them receive first";
  if (knot.ranks.size() > 1 && all_wait_for_locks(knot, graph))
    return "each holds a lock that another one waits for; take the locks in the same order in all "
           "processes, or give one up before the next is taken";
  if (has_lock(knot, graph))
    return "a lock is waited for whose holder cannot come to its MPI_Win_unlock; give it up before "
           "a call that waits for others";
  if (all_are(knot, graph, Kind::receive))
    return "they all wait for a message before they send one; one of them must send first";
  return "they wait for each other; one of them must first do what another one waits for";
}

std::string of_mismatch(const Knot& knot, const WaitGraph& graph) {
  std::vector<std::string> calls;
  for (std::uint32_t rank = 0; rank < graph.size(); ++rank) {
    for (const ReportedWait& wait : graph.rank(rank).waits) {
      if (wait.kind != Kind::collective || !graph.is_stuck(rank)) continue;
      calls.push_back(fmt::format("{} of rank {}{}", wait.operation, rank,
                                  wait.root != 0 ? fmt::format(" with root {}", wait.root) : ""));
    }
  }
  if (calls.size() > 6) calls.resize(6);
  static_cast<void>(knot);
  return fmt::format(
      "they are in different collective operations of one communicator ({}); all its processes "
      "must call the same ones in the same order, with the same root",
      fmt::join(calls, ", "));
}

std::string of_kind(const Verdict& verdict, const Knot& knot, const WaitGraph& graph) {
  switch (knot.kind) {
    case Knot::Kind::gone:
      return "a rank that has ended, or is in MPI_Finalize, makes no call any more; it must do its "
             "part before MPI_Finalize, or nobody may wait for it";
    case Knot::Kind::mismatch:
      return of_mismatch(knot, graph);
    case Knot::Kind::itself:
      if (has_marks(knot, graph))
        return "a partitioned send ends when all its partitions are marked; call MPI_Pready for "
               "each of them before the wait";
      return "a rank waits for itself in a blocking call and so cannot do what it waits for; start "
             "one of the two with MPI_Isend or MPI_Irecv, or post before the start";
    case Knot::Kind::left_out:
      if (meets_on_window(knot, graph))
        return "all processes of a window must come to this call; those that are elsewhere wait "
               "for one that is in it";
      return "a collective operation needs all processes of its communicator; those that are "
             "elsewhere wait for one that is in it";
    case Knot::Kind::cycle:
      return of_cycle(verdict, knot, graph);
    case Knot::Kind::calls:
      if (has_unreceived(verdict, knot))
        return "MPI_Finalize waits until what was sent has left, and a message of this size leaves "
               "when it is received; the matching receive is missing";
      return "every process that could serve these calls waits itself";
    case Knot::Kind::outside:
      return "all threads of this rank sleep until one of them wakes another: in a condition "
             "variable, a mutex, a semaphore or pthread_join. One must be woken before it sleeps, "
             "or by a thread that does not";
  }
  return "";
}

bool sleeps_beside(const Knot& knot, const WaitGraph& graph) {
  return knot.kind != Knot::Kind::outside &&
         std::any_of(knot.ranks.begin(), knot.ranks.end(),
                     [&](std::uint32_t rank) { return graph.rank(rank).outside > 0; });
}

}  // namespace

std::string remedy(const Verdict& verdict, const Knot& knot, const WaitGraph& graph) {
  std::string text = of_kind(verdict, knot, graph);
  if (sleeps_beside(knot, graph))
    text += ". Or a thread that sleeps outside MPI is to make the call: it must be woken before";
  return text;
}

}  // namespace tessera::launcher
