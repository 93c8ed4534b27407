// SPDX-License-Identifier: BSD-3-Clause
// Finding the knots of a wait-for graph, and what kind they are.
#include "launcher/hang/verdict.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;
using State = RankWait::State;

// Strongly connected components of the stuck ranks (Tarjan 1972), without recursion: a job may have
// many ranks.
class Components {
 public:
  explicit Components(const WaitGraph& graph) : graph_(graph), nodes_(graph.size()) {
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      if (!graph.is_stuck(i)) continue;
      for (const std::uint32_t other : graph.waits_for(i))
        if (graph.is_stuck(other)) nodes_[i].next.push_back(other);
    }
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      if (graph.is_stuck(i) && nodes_[i].order == 0) visit(i);
  }

  // Those from which no way leads to another one.
  std::vector<std::vector<std::uint32_t>> knots() const {
    std::vector<std::vector<std::uint32_t>> found;
    for (const auto& component : all_) {
      const std::uint32_t number = nodes_[component.front()].component;
      const bool leaves = std::any_of(component.begin(), component.end(), [&](std::uint32_t rank) {
        const auto& next = nodes_[rank].next;
        return std::any_of(next.begin(), next.end(),
                           [&](std::uint32_t other) { return nodes_[other].component != number; });
      });
      if (!leaves) found.push_back(component);
    }
    for (auto& knot : found) std::sort(knot.begin(), knot.end());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  struct Node {
    std::vector<std::uint32_t> next;
    std::uint32_t order = 0;  // of the visit, from 1
    std::uint32_t low = 0;
    std::uint32_t component = 0;
    std::size_t looked_at = 0;
    bool open = false;
  };

  void enter(std::uint32_t rank) {
    nodes_[rank].order = nodes_[rank].low = ++visits_;
    nodes_[rank].open = true;
    open_.push_back(rank);
    path_.push_back(rank);
  }

  void visit(std::uint32_t first) {
    enter(first);
    while (!path_.empty()) {
      Node& node = nodes_[path_.back()];
      if (node.looked_at == node.next.size()) {
        leave(path_.back());
        continue;
      }
      const std::uint32_t other = node.next[node.looked_at++];
      if (nodes_[other].order == 0) {
        enter(other);
      } else if (nodes_[other].open) {
        node.low = std::min(node.low, nodes_[other].order);
      }
    }
  }

  void leave(std::uint32_t rank) {
    path_.pop_back();
    if (!path_.empty())
      nodes_[path_.back()].low = std::min(nodes_[path_.back()].low, nodes_[rank].low);
    if (nodes_[rank].low != nodes_[rank].order) return;
    all_.emplace_back();
    for (std::uint32_t member = rank + 1; member != rank;) {
      member = open_.back();
      open_.pop_back();
      nodes_[member].open = false;
      nodes_[member].component = static_cast<std::uint32_t>(all_.size());
      all_.back().push_back(member);
    }
  }

  const WaitGraph& graph_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> open_, path_;
  std::vector<std::vector<std::uint32_t>> all_;
  std::uint32_t visits_ = 0;
};

// Visits the hopeless waits of some ranks until one says yes.
template <class Ask>
bool any_wait(const WaitGraph& graph, const std::vector<std::uint32_t>& ranks, Ask ask) {
  for (const std::uint32_t rank : ranks)
    for (const ReportedWait& wait : graph.rank(rank).waits)
      if (graph.is_hopeless(rank, wait) && ask(rank, wait)) return true;
  return false;
}

bool ends(const RankWait& rank) noexcept {
  return rank.state == State::gone || rank.finalizes();
}

bool waits_for_gone(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait) {
  if (graph.rank(rank).finalizes() && wait.kind == Kind::others) return false;
  const auto servers = graph.servers(rank, wait);
  return !servers.empty() &&
         std::any_of(servers.begin(), servers.end(),
                     [&](std::uint32_t other) { return ends(graph.rank(other)); }) &&
         (wait.kind == Kind::collective || wait.kind == Kind::arrival || servers.size() == 1 ||
          std::all_of(servers.begin(), servers.end(),
                      [&](std::uint32_t other) { return ends(graph.rank(other)); }));
}

// The same call of one communicator, but another operation or another root.
bool differs(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait,
             std::uint32_t other) {
  const RankWait& theirs = graph.rank(other);
  return std::any_of(theirs.waits.begin(), theirs.waits.end(), [&](const ReportedWait& one) {
    const KnownComm* const a = graph.rank(rank).comm_of(wait);
    const KnownComm* const b = theirs.comm_of(one);
    if (one.kind != Kind::collective || a == nullptr || b == nullptr || a->context != b->context)
      return false;
    if (!graph.same_call(rank, wait, other, one)) return true;
    return std::strncmp(one.operation, wait.operation, sizeof one.operation) != 0 ||
           one.root != wait.root;
  });
}

bool mismatched(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait) {
  for (std::uint32_t other = 0; other < graph.size(); ++other)
    if (other != rank && graph.is_stuck(other) && differs(graph, rank, wait, other)) return true;
  return false;
}

Knot::Kind kind_of(const WaitGraph& graph, const std::vector<std::uint32_t>& ranks) {
  const auto collective = [](std::uint32_t, const ReportedWait& wait) {
    return wait.kind == Kind::collective || wait.kind == Kind::arrival;
  };
  if (std::any_of(ranks.begin(), ranks.end(),
                  [&](std::uint32_t rank) { return graph.rank(rank).function.empty(); }))
    return Knot::Kind::outside;
  if (any_wait(graph, ranks, [&](std::uint32_t rank, const ReportedWait& wait) {
        return waits_for_gone(graph, rank, wait);
      }))
    return Knot::Kind::gone;
  if (any_wait(graph, ranks, [&](std::uint32_t rank, const ReportedWait& wait) {
        return wait.kind == Kind::collective && mismatched(graph, rank, wait);
      }))
    return Knot::Kind::mismatch;
  if (any_wait(graph, ranks, [&](std::uint32_t rank, const ReportedWait& wait) {
        return graph.servers(rank, wait) == std::vector{rank};
      }))
    return Knot::Kind::itself;
  if (any_wait(graph, ranks, collective)) return Knot::Kind::left_out;
  const bool others = any_wait(graph, ranks, [](std::uint32_t, const ReportedWait& wait) {
    return wait.kind == Kind::others;
  });
  return others ? Knot::Kind::calls : Knot::Kind::cycle;
}

// What has come from the right source under another tag or communicator. Messages inside collective
// operations have odd contexts and are nobody's business.
void add_near_misses(const WaitGraph& graph, std::uint32_t rank, std::vector<NearMiss>& found) {
  constexpr std::size_t kMost = 8;
  const RankWait& mine = graph.rank(rank);
  for (const ReportedWait& wait : mine.waits) {
    if (wait.kind != Kind::receive && wait.kind != Kind::probe) continue;
    for (const ReportedMessage& message : mine.arrived) {
      const bool from = wait.peer < 0 || message.rank == wait.rank;
      if (from && message.context % 2 == 0 && found.size() < kMost)
        found.push_back({rank, message, wait});
    }
  }
}

// A receiver that is elsewhere has waits of its own, which tell more.
void add_unreceived(const WaitGraph& graph, std::uint32_t rank, std::vector<Unreceived>& found) {
  constexpr std::size_t kMost = 8;
  if (!graph.rank(rank).finalizes()) return;
  for (const ReportedMessage& message : graph.rank(rank).sends) {
    const auto receiver = static_cast<std::uint32_t>(message.rank);
    if (message.matched != 0 || message.context % 2 != 0 || receiver >= graph.size()) continue;
    if (ends(graph.rank(receiver)) && found.size() < kMost) found.push_back({rank, message});
  }
}

}  // namespace

const char* name_of(Knot::Kind kind) noexcept {
  switch (kind) {
    case Knot::Kind::gone:
      return "waits for a rank that has ended";
    case Knot::Kind::mismatch:
      return "different collective operations";
    case Knot::Kind::itself:
      return "waits for itself";
    case Knot::Kind::left_out:
      return "missing in a collective operation";
    case Knot::Kind::cycle:
      return "wait for each other";
    case Knot::Kind::calls:
      return "nobody is left to serve them";
    case Knot::Kind::outside:
      return "asleep outside MPI";
  }
  return "";
}

std::optional<Verdict> judge(const WaitGraph& graph) {
  if (!graph.anybody_stuck()) return std::nullopt;
  Verdict verdict;
  std::vector<bool> in_knot(graph.size());
  for (auto& ranks : Components(graph).knots()) {
    for (const std::uint32_t rank : ranks) in_knot[rank] = true;
    const Knot::Kind kind = kind_of(graph, ranks);
    verdict.knots.push_back({kind, std::move(ranks)});
  }
  for (std::uint32_t rank = 0; rank < graph.size(); ++rank) {
    if (!graph.is_stuck(rank)) continue;
    if (!in_knot[rank]) verdict.behind.push_back(rank);
    add_near_misses(graph, rank, verdict.near_misses);
    add_unreceived(graph, rank, verdict.unreceived);
  }
  return verdict;
}

}  // namespace tessera::launcher
