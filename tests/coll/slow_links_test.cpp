// SPDX-License-Identifier: BSD-3-Clause
// The operations whose amounts only some processes know are left to coll/basic on several systems
// too: every byte crosses each slow link once, by the shipped rules, and whichever algorithm the
// user asks for.
#include "tests/coll/slow_links.h"

#include <algorithm>

#include "components/coll/basic/blocks.h"
#include "components/coll/basic/chooser.h"
#include "core/coll/rules.h"
#include "tests/coll/fake_params.h"
#include "tests/coll/hierarchy.h"

namespace tessera::coll::test {
namespace {

using basic::Algorithm;
using enum Operation;

constexpr Operation kVectors[] = {gatherv, scatterv, alltoallv, alltoallw};
constexpr Operation kNeighbourhoods[] = {neighbor_allgather, neighbor_allgatherv, neighbor_alltoall,
                                         neighbor_alltoallv, neighbor_alltoallw};

// As on several machines, where coll/sm declines.
std::vector<RuleLine> lines_without_sm() {
  std::vector<RuleLine> lines = builtin_rules();
  std::erase_if(lines, [](const RuleLine& line) { return line.component == "sm"; });
  return lines;
}
const Rules& shipped() {
  static const RuleSet rules(lines_without_sm());
  return rules;
}

// Of every four blocks one is empty: which ones depends on the count.
constexpr Count kCounts[] = {5, 6};
Shape shape(Operation operation, int size, int root = 0, Count count = kCounts[0]) {
  return {.operation = operation, .size = size, .root = root, .count = count};
}

// Ranks are dealt out to three systems in turn: every neighbour in rank is across a slow link.
int system_of(int rank) {
  return rank % 3;
}

// What must cross: each block from the system that has it into the one that wants it, one message
// per pair of processes.
class Needed {
 public:
  explicit Needed(const std::vector<Process>& processes) {
    for (const Process& process : processes) add(process.call);
  }
  Loads loads() const { return loads_; }

 private:
  void add(const Call& call) {
    const int me = call.rank;
    switch (call.operation) {
      case gather:
      case gatherv:
        return move(me, call.root, basic::whole(Space::send, call.send));
      case scatter:
      case scatterv:
        return move(call.root, me, basic::result(call));
      case neighbor_allgather:
      case neighbor_allgatherv:
        for (const int to : call.destinations) move(me, to, basic::whole(Space::send, call.send));
        return;
      case neighbor_alltoall:
      case neighbor_alltoallv:
      case neighbor_alltoallw:
        for (std::size_t i = 0; i < call.destinations.size(); ++i)
          move(me, call.destinations[i], basic::block(call, Space::send, static_cast<int>(i)));
        return;
      default:
        for (int to = 0; to < call.size; ++to) move(me, to, basic::block(call, Space::send, to));
    }
  }
  void move(int from, int to, const Buffer& data) {
    if (to == kProcNull || system_of(from) == system_of(to) || data.bytes() == 0) return;
    Load& load = loads_[{system_of(from), system_of(to)}];
    load.bytes += data.bytes();
    ++load.messages;
  }

  Loads loads_;
};

Loads loads_of(const std::vector<Process>& processes, const Algorithm& algorithm) {
  const auto emit = [&](const Call& call, Schedule& schedule) {
    algorithm.emit(call, {}, schedule);
    return schedule.status();
  };
  return loads_between(processes, emit, system_of);
}

// The algorithm that the shipped rules say for three machines.
const Algorithm* ruled(const Call& call) {
  const Layout layout{.nodes = 3, .per_node = (call.size + 2) / 3};
  EXPECT_NE(shipped().chosen(shipped().component("basic"), call, layout), nullptr)
      << name(call.operation);
  return basic::Chooser(FakeParams(), shipped()).choose(call, layout).algorithm;
}

// Edges to the next two ranks, the one before, and nobody.
// The processes refer to the graph.
std::vector<Process> neighbours(Operation operation, int size, Neighbours& graph) {
  std::vector<std::vector<Origin>> origins;
  for (int me = 0; me < size; ++me) {
    const int next = (me + 1) % size, second = (me + 2) % size;
    const int last = (me + size - 1) % size, before = (me + size - 2) % size;
    graph.destinations.push_back({next, second, last, kProcNull});
    graph.sources.push_back({last, before, next, kProcNull});
    origins.push_back({{last, 0}, {before, 1}, {next, 2}, {-1, 0}});
  }
  return make_neighbour_processes(operation, graph, 5, false, origins);
}

void expect_each_block_once(const Shape& asked) {
  const auto processes = make_processes(asked, nullptr);
  const Algorithm* const algorithm = ruled(processes.front().call);
  ASSERT_NE(algorithm, nullptr);
  EXPECT_EQ(loads_of(processes, *algorithm), Needed(processes).loads())
      << algorithm->name << ", " << describe(asked);
}

TEST(SlowLinks, ShippedRulesSendEachBlockOfAVectorOperationOnce) {
  for (const Operation operation : kVectors) {
    for (const int size : {3, 7, 12, 32, 40}) {
      for (int root = 0; root < (rooted(operation) ? size : 1); root += 5)
        for (const Count count : kCounts)
          expect_each_block_once(shape(operation, size, root, count));
    }
  }
}

TEST(SlowLinks, ShippedRulesSendEachBlockToEachNeighbourOnce) {
  for (const Operation operation : kNeighbourhoods) {
    Neighbours graph;
    const auto processes = neighbours(operation, 8, graph);
    const Algorithm* const algorithm = ruled(processes.front().call);
    ASSERT_NE(algorithm, nullptr);
    EXPECT_EQ(loads_of(processes, *algorithm), Needed(processes).loads()) << name(operation);
  }
}

std::map<std::pair<int, int>, Count> bytes_of(const Loads& loads) {
  std::map<std::pair<int, int>, Count> bytes;
  for (const auto& [link, load] : loads)
    if (load.bytes > 0) bytes[link] = load.bytes;
  return bytes;
}

Count total(const Loads& loads) {
  Count bytes = 0;
  for (const auto& [link, load] : loads) bytes += load.bytes;
  return bytes;
}

// Not the same messages: some are cut, and some are asked for.
TEST(SlowLinks, EveryAlgorithmOfAVectorOperationSendsTheSameBytes) {
  for (const Algorithm* each : basic::algorithms()) {
    if (std::find(std::begin(kVectors), std::end(kVectors), each->operation) == std::end(kVectors))
      continue;
    for (const Count count : kCounts) {
      const auto processes = make_processes(shape(each->operation, 12, 4, count), nullptr);
      if (!each->fits(processes.front().call)) continue;
      EXPECT_EQ(bytes_of(loads_of(processes, *each)), bytes_of(Needed(processes).loads()))
          << name(each->operation) << " " << each->name << ", count " << count;
    }
  }
}

// A tree that knows nothing of systems takes blocks over slow links again and again: the figures
// above could be others.
TEST(SlowLinks, TreesOfRanksSendBlocksMoreThanOnce) {
  for (const auto& [operation, algorithm] :
       {std::pair(gather, "binomial"), std::pair(scatter, "binomial"),
        std::pair(alltoall, "bruck")}) {
    const auto processes = make_processes(shape(operation, 12), nullptr);
    const Count sent = total(loads_of(processes, *basic::find_algorithm(operation, algorithm)));
    const Count needed = total(Needed(processes).loads());
    EXPECT_GT(2 * sent, 3 * needed) << name(operation) << " " << algorithm;
  }
}

// Also where the user has given the levels.
TEST(SlowLinks, LevelsLeaveVectorOperationsToOthers) {
  const hierarchy::Tree tree = tree_of("3x2x2", 12);
  Stacked stacked(tree, 0, 0);
  for (const Operation operation : kVectors) {
    Schedule schedule;
    const auto processes = make_processes(shape(operation, 12), nullptr);
    EXPECT_EQ(stacked.emit(processes.front().call, schedule).code(), Errc::unsupported)
        << name(operation);
  }
}

}  // namespace
}  // namespace tessera::coll::test
