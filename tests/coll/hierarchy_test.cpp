// SPDX-License-Identifier: BSD-3-Clause
// coll/hierarchy: every operation over many trees, all roots, commuting or not, in place or not,
// checked in memory; and what it sends over slow links.
#include "tests/coll/hierarchy.h"

#include <gtest/gtest.h>

#include "tests/coll/slow_links.h"
#include "tools/schedules/checker.h"

namespace tessera::coll::test {
namespace {

using hierarchy::Tree;
using enum Operation;

const ModelOp& commuting() {
  static const ModelOp op(true);
  return op;
}
const ModelOp& ordered() {
  static const ModelOp op(false);
  return op;
}

struct Place {
  const char* shape;
  int processes;
  int stride;
};
std::string text(const Place& place) {
  return std::string(place.shape) + " with " + std::to_string(place.processes) + " spread by " +
         std::to_string(place.stride);
}

// Uneven ones are cut off; those with a stride have groups that are no ranges of ranks.
constexpr Place kPlaces[] = {{"3x2", 6, 1},   {"2x3", 5, 1},   {"2x3", 6, 5},    {"2x3x2", 12, 1},
                             {"2x3x2", 9, 1}, {"2x2x2", 8, 3}, {"3x2x2", 11, 4}, {"2x2x2x2", 13, 1},
                             {"1x4x2", 8, 1}, {"2x4x1", 7, 1}, {"3x1x3", 9, 2},  {"2x5", 7, 1}};

bool served(const Shape& shape, const Op& op, const Tree& tree) {
  const bool in_order = op.commutative() && shape.operation != scan && shape.operation != exscan;
  return tree.in_order() || !reduces(shape.operation) || in_order;
}

void check_one(const Place& place, const Shape& shape, const Op& op, std::size_t algorithm,
               Count segment) {
  const Tree tree = tree_of(place.shape, place.processes, place.stride);
  Stacked stacked(tree, algorithm, segment);
  std::vector<Process> processes = make_processes(shape, &op);
  Schedule probe;
  if (!served(shape, op, tree)) {
    EXPECT_EQ(stacked.emit(processes.front().call, probe).code(), Errc::unsupported) << text(place);
    return;
  }
  const std::string wrong = check(processes, [&](const Call& call, Schedule& schedule) {
    return stacked.emit(call, schedule);
  });
  ASSERT_EQ(wrong, "") << text(place) << ": " << describe(shape)
                       << (op.commutative() ? "" : ", ordered op") << ", algorithm " << algorithm
                       << ", segment " << segment;
}

void check_flags(const Place& place, Shape shape, std::size_t algorithm, Count segment) {
  for (const bool in_place : {false, true}) {
    if (in_place && !has_in_place(shape.operation)) continue;
    for (const bool sparse : {false, true}) {
      for (const ModelOp* op : {&commuting(), &ordered()}) {
        if (op == &ordered() && !reduces(shape.operation)) continue;
        shape.in_place = in_place;
        shape.sparse = sparse;
        shape.wide = in_place != sparse;
        check_one(place, shape, *op, algorithm, segment);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

class Composed : public testing::TestWithParam<Operation> {};

TEST_P(Composed, GivesTheResultForAllTreesAndRoots) {
  std::size_t algorithm = 0;
  for (const Place& place : kPlaces) {
    for (int root = 0; root < (rooted(GetParam()) ? place.processes : 1); ++root) {
      for (const Count count : {0, 1, 5}) {
        const Count segment = count == 5 ? 8 : 0;
        check_flags(
            place, {.operation = GetParam(), .size = place.processes, .root = root, .count = count},
            algorithm++, segment);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Whatever algorithm lies below.
TEST_P(Composed, GivesTheResultOverAllAlgorithms) {
  for (std::size_t algorithm = 0; algorithm < 14; ++algorithm) {
    check_flags({"2x3x2", 11, 1}, {.operation = GetParam(), .size = 11, .root = 4, .count = 7},
                algorithm, 16);
    check_flags({"3x3", 9, 2}, {.operation = GetParam(), .size = 9, .root = 4, .count = 3},
                algorithm, 0);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Composed, GivesTheResultForTwoTimesFourTimesEight) {
  for (const Place& place : {Place{"2x4x8", 64, 1}, Place{"2x4x8", 61, 1}, Place{"2x4x8", 64, 5}}) {
    const Shape shape{.operation = GetParam(), .size = place.processes, .root = 37, .count = 2};
    check_one(place, shape, commuting(), 0, 0);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Hierarchy, Composed,
                         testing::Values(barrier, bcast, reduce, allreduce, gather, scatter,
                                         allgather, allgatherv, alltoall, reduce_scatter,
                                         reduce_scatter_block, scan, exscan),
                         [](const auto& instance) { return std::string(name(instance.param)); });

TEST(Barrier, NobodyLeavesBeforeTheLastHasCome) {
  for (const Place& place : kPlaces) {
    const Tree tree = tree_of(place.shape, place.processes, place.stride);
    Stacked stacked(tree, 0, 0);
    for (int absent = 0; absent < place.processes; ++absent) {
      std::vector<Process> processes =
          make_processes({.operation = barrier, .size = place.processes}, nullptr);
      const auto emit = [&](const Call& call, Schedule& schedule) {
        return stacked.emit(call, schedule);
      };
      EXPECT_EQ(finishers_without(processes, emit, absent), 0)
          << text(place) << ", without " << absent;
    }
  }
}

Loads slow_loads_over(const Place& place, const Shape& shape, std::size_t algorithm,
                      Count segment) {
  const Tree tree = tree_of(place.shape, place.processes, place.stride);
  Stacked stacked(tree, algorithm, segment);
  return loads_between(
      make_processes(shape, &commuting()),
      [&](const Call& call, Schedule& schedule) { return stacked.emit(call, schedule); },
      [&](int rank) { return tree.group(1, tree.position_of(rank)).first; });
}

// The same whatever algorithms lie below.
Loads slow_loads(const Place& place, const Shape& shape, Count segment = 0) {
  const Loads loads = slow_loads_over(place, shape, 0, segment);
  for (std::size_t algorithm = 1; algorithm < 12; ++algorithm)
    EXPECT_EQ(slow_loads_over(place, shape, algorithm, segment), loads)
        << describe(shape) << ", algorithm " << algorithm;
  return loads;
}

// 3 systems of 2 nodes of 2 processes; the groups begin at positions 0, 4 and 8.
constexpr Place kThree{"3x2x2", 12, 1};
constexpr Place kSpread{"3x2x2", 12, 5};

Shape shape(Operation operation, Count count, int root = 0) {
  return {.operation = operation, .size = 12, .root = root, .count = count};
}

Loads all_pairs(const Load& load) {
  Loads loads;
  for (const int from : {0, 4, 8})
    for (const int to : {0, 4, 8})
      if (from != to) loads[{from, to}] = load;
  return loads;
}

TEST(SlowLinks, BcastSendsTheDataOnceIntoEachOtherSystem) {
  for (const Place& place : {kThree, kSpread}) {
    for (int root = 0; root < 12; ++root) {
      const Tree tree = tree_of(place.shape, 12, place.stride);
      const int home = tree.group(1, tree.position_of(root)).first;
      Loads expected;
      for (const int other : {0, 4, 8})
        if (other != home) expected[{home, other}] = {400, 1};
      EXPECT_EQ(slow_loads(place, shape(bcast, 100, root)), expected);
    }
  }
}

TEST(SlowLinks, SegmentsAddUpToTheSame) {
  const Loads loads = slow_loads(kThree, shape(bcast, 100), 40);
  const Load once{400, 10};
  EXPECT_EQ(loads, (Loads{{{0, 4}, once}, {{0, 8}, once}}));
  EXPECT_EQ(slow_loads(kThree, shape(allreduce, 100), 240), all_pairs({2400, 10}));
}

TEST(SlowLinks, ReduceSendsOneVectorFromEachOtherSystem) {
  for (const int root : {0, 3}) {
    const Load once{2400, 1};
    EXPECT_EQ(slow_loads(kThree, shape(reduce, 100, root)),
              (Loads{{{4, 0}, once}, {{8, 0}, once}}));
  }
}

TEST(SlowLinks, AllreduceSendsOneVectorEachWay) {
  EXPECT_EQ(slow_loads(kThree, shape(allreduce, 100)), all_pairs({2400, 1}));
  EXPECT_EQ(slow_loads(kSpread, shape(allreduce, 100)), all_pairs({2400, 1}));
}

TEST(SlowLinks, BarrierSendsOneSignalEachWay) {
  EXPECT_EQ(slow_loads(kThree, shape(barrier, 0)), all_pairs({0, 1}));
}

TEST(SlowLinks, BlocksGoOnceAndTogether) {
  for (const Place& place : {kThree, kSpread}) {
    const Load four{4 * 40, 1};
    EXPECT_EQ(slow_loads(place, shape(gather, 10)), (Loads{{{4, 0}, four}, {{8, 0}, four}}));
    EXPECT_EQ(slow_loads(place, shape(scatter, 10)), (Loads{{{0, 4}, four}, {{0, 8}, four}}));
    EXPECT_EQ(slow_loads(place, shape(allgather, 10)), all_pairs(four));
    EXPECT_EQ(slow_loads(place, shape(alltoall, 10)), all_pairs({16 * 40, 1}));
  }
}

TEST(SlowLinks, ReduceScatterSendsWhatTheOtherSystemWants) {
  EXPECT_EQ(slow_loads(kThree, shape(reduce_scatter_block, 10)), all_pairs({4 * 240, 1}));
  EXPECT_EQ(slow_loads(kSpread, shape(reduce_scatter_block, 10)), all_pairs({4 * 240, 1}));
}

TEST(SlowLinks, ScanSendsAtMostOneVectorPerLink) {
  for (const auto& [link, load] : slow_loads_over(kThree, shape(scan, 10), 0, 0))
    EXPECT_LE(load.bytes, 240) << link.first << " to " << link.second;
}

// Which calls go this way is the user's to say, and the rules'.

constexpr bool kShipped = true, kMine = false;

class OneRule final : public Rules {
 public:
  OneRule(const char* component, bool shipped) : components_list_{component} {
    rule_.where = shipped ? "built-in rule, collectives.yaml:3" : "mine.yaml:3";
    rule_.shipped = shipped;
    for (auto& of : of_) of = {&rule_, 1};
    components_ = components_list_;
  }

 private:
  Rule rule_;
  const char* components_list_[1];
};

bool takes_bcast(const Rules& rules, bool asked) {
  hierarchy::Settings settings;
  settings.asked = asked;
  hierarchy::HierarchyModule module(settings, &rules, Layout{}, tree_of("2x2x2", 8));
  BelowModule below(0);
  Module* const modules[] = {&below};
  std::array<std::span<Module* const>, kOperations> stacks;
  stacks.fill(modules);
  module.stacked(Displaced(stacks.data()));
  const auto processes = make_processes({.operation = bcast, .size = 8, .count = 1}, nullptr);
  Schedule schedule;
  return module.emit(processes.front().call, schedule).ok();
}

TEST(Choice, ADescriptionWinsOverBuiltInRules) {
  EXPECT_TRUE(takes_bcast(OneRule("basic", kShipped), true));
  EXPECT_FALSE(takes_bcast(OneRule("basic", kMine), true));
  EXPECT_TRUE(takes_bcast(OneRule("hierarchy", kMine), true));
}

TEST(Choice, LevelsThatWereFoundGoByRules) {
  EXPECT_FALSE(takes_bcast(OneRule("basic", kShipped), false));
  EXPECT_TRUE(takes_bcast(OneRule("hierarchy", kShipped), false));
}

// An operation whose parts nobody below carries out by schedules is left to others, on all
// processes.
TEST(Choice, NeedsSchedulesFromBelow) {
  hierarchy::Settings settings;
  settings.asked = true;
  hierarchy::HierarchyModule module(settings, nullptr, Layout{}, tree_of("2x2x2", 8));
  SilentModule silent;
  Module* const modules[] = {&silent};
  std::array<std::span<Module* const>, kOperations> stacks;
  stacks.fill(modules);
  module.stacked(Displaced(stacks.data()));
  for (const Process& process :
       make_processes({.operation = allreduce, .size = 8, .count = 1}, &commuting())) {
    Schedule schedule;
    EXPECT_EQ(module.emit(process.call, schedule).code(), Errc::unsupported);
  }
}

}  // namespace
}  // namespace tessera::coll::test
