// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of coll/basic, for all sizes up to 40, all roots, with and without in_place,
// checked in memory.
#include <gtest/gtest.h>

#include "tests/coll/cases.h"
#include "tools/schedules/checker.h"
#include "tools/schedules/verify.h"

namespace tessera::coll::test {
namespace {

using basic::Algorithm;
using enum Operation;

const ModelOp& commuting() {
  static const ModelOp op(true);
  return op;
}
const ModelOp& ordered() {
  static const ModelOp op(false);
  return op;
}

Emitter emitter(const Algorithm& algorithm, const Tuning& tuning = {}) {
  return [&algorithm, tuning](const Call& call, Schedule& schedule) {
    algorithm.emit(call, tuning, schedule);
    return schedule.status();
  };
}

std::string name_of(const Algorithm& algorithm) {
  return std::string(name(algorithm.operation)) + "_" + algorithm.name;
}

// The sizes of one test, so that the work can be spread over several processes.
struct Band {
  const Algorithm* algorithm;
  int first;
  int last;
};

std::vector<Band> bands() {
  std::vector<Band> list;
  for (const Algorithm* each : basic::algorithms()) {
    for (const auto& [first, last] : {std::pair{1, 17}, {18, 25}, {26, 31}, {32, 36}, {37, 40}})
      list.push_back({each, first, last});
  }
  return list;
}

class Intra : public testing::TestWithParam<Band> {};

TEST_P(Intra, GivesTheResultForAllSizesAndRoots) {
  schedules::Sweep sweep;
  for (int size = GetParam().first; size <= GetParam().last; ++size) sweep.ranks.push_back(size);
  sweep.crossed = GetParam().last <= 17;
  const schedules::Verdict verdict = schedules::verify(*GetParam().algorithm, sweep);
  EXPECT_EQ(verdict.wrong, "");
}

INSTANTIATE_TEST_SUITE_P(Basic, Intra, testing::ValuesIn(bands()), [](const auto& tested) {
  return name_of(*tested.param.algorithm) + "_" + std::to_string(tested.param.first);
});

class Inter : public testing::TestWithParam<const Algorithm*> {};

std::vector<const Algorithm*> inter() {
  std::vector<const Algorithm*> list;
  for (std::size_t i = 0; i < kOperations; ++i) {
    const Algorithm* algorithm = basic::inter_algorithm(static_cast<Operation>(i));
    if (algorithm != nullptr) list.push_back(algorithm);
  }
  return list;
}

// Both ops, where the call reduces, with contiguous and sparse types.
void run_inter(const Algorithm& algorithm, Shape shape) {
  for (const bool sparse : {false, true}) {
    for (const ModelOp* op : {&commuting(), &ordered()}) {
      if (!reduces(shape.operation) && op == &ordered()) continue;
      shape.sparse = shape.wide = sparse;
      std::vector<Process> processes = make_processes(shape, op);
      ASSERT_EQ(check(processes, emitter(algorithm), shape.size), "") << describe(shape);
    }
  }
}

TEST_P(Inter, GivesTheResultForAllSizesAndRoots) {
  const Operation operation = GetParam()->operation;
  for (int size = 1; size <= 6; ++size) {
    for (int remote = 1; remote <= 6; ++remote) {
      for (int root = 0; root < (rooted(operation) ? size : 1); ++root) {
        for (const Count count : {0, 1, 7}) {
          run_inter(*GetParam(), {operation, size, remote, root, count});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Basic, Inter, testing::ValuesIn(inter()),
                         [](const auto& tested) { return name_of(*tested.param); });

// Long vectors: several segments in the pipelines.
TEST(Chain, SendsLongVectorsInSegments) {
  for (const Algorithm* each : basic::algorithms()) {
    const Algorithm& algorithm = *each;
    if (algorithm.operation != bcast || std::string(algorithm.name) != "chain") continue;
    for (const int size : {2, 3, 5}) {
      std::vector<Process> processes =
          make_processes({.operation = bcast, .size = size, .root = 1, .count = 40'000}, nullptr);
      ASSERT_EQ(check(processes, emitter(algorithm)), "");
      Schedule schedule;
      algorithm.emit(processes[1].call, {}, schedule);
      EXPECT_EQ(schedule.steps().size(), 2u);
    }
  }
}

// A barrier is one: as long as one process has not come, none goes.
TEST(Barrier, NobodyLeavesBeforeTheLastHasCome) {
  for (const Algorithm* each : basic::algorithms()) {
    const Algorithm& algorithm = *each;
    if (algorithm.operation != barrier) continue;
    for (int size = 2; size <= 17; ++size) {
      for (int absent = 0; absent < size; ++absent) {
        std::vector<Process> processes =
            make_processes({.operation = barrier, .size = size}, nullptr);
        if (!algorithm.fits(processes.front().call)) continue;
        EXPECT_EQ(finishers_without(processes, emitter(algorithm), absent), 0)
            << algorithm.name << " " << size;
      }
    }
  }
  for (int size = 1; size <= 4; ++size) {
    for (int absent = 0; absent < size + 3; ++absent) {
      std::vector<Process> processes =
          make_processes({.operation = barrier, .size = size, .remote_size = 3}, nullptr);
      const Algorithm& algorithm = *basic::inter_algorithm(barrier);
      // Those of the other side must not leave; of the own side, MPI leaves it open.
      const int first = absent < size ? size : 0;
      const int last = absent < size ? size + 3 : size;
      EXPECT_EQ(finishers_without(processes, emitter(algorithm), absent, size, first, last), 0);
    }
  }
}

// Neighbourhoods: a ring given as a graph, a graph with double edges, and Cartesian grids.

void run_neighbours(const Neighbours& neighbours, const std::vector<std::vector<Origin>>& origins) {
  for (const Algorithm* each : basic::algorithms()) {
    const Algorithm& algorithm = *each;
    if (algorithm.operation < neighbor_allgather) continue;
    for (const Count count : {0, 1, 5}) {
      for (const bool sparse : {false, true}) {
        std::vector<Process> processes =
            make_neighbour_processes(algorithm.operation, neighbours, count, sparse, origins);
        ASSERT_EQ(check(processes, emitter(algorithm)), "")
            << name(algorithm.operation) << ", " << processes.size() << " processes, count "
            << count;
      }
    }
  }
}

TEST(Neighbour, GraphWithSeveralEdgesBetweenTwoProcesses) {
  // 0 -> 1 twice, 1 -> 0, 1 -> 1 (itself), 2 has none.
  const Neighbours neighbours{{{1, 1}, {0, 1}, {}}, {{1}, {0, 1, 0}, {}}};
  run_neighbours(neighbours, {{{1, 0}}, {{0, 0}, {1, 1}, {0, 1}}, {}});
}

// A torus of size `columns` in one periodic dimension: negative neighbour first. What a process
// sends to its negative neighbour arrives there from the positive one.
TEST(Neighbour, PeriodicRing) {
  for (int size = 1; size <= 5; ++size) {
    Neighbours neighbours;
    neighbours.cartesian = true;
    std::vector<std::vector<Origin>> origins;
    for (int me = 0; me < size; ++me) {
      const int before = (me + size - 1) % size, after = (me + 1) % size;
      neighbours.destinations.push_back({before, after});
      neighbours.sources.push_back({before, after});
      origins.push_back({{before, 1}, {after, 0}});
    }
    run_neighbours(neighbours, origins);
  }
}

TEST(Neighbour, GridWithEdges) {
  // 3 processes in a row, not periodic, times one periodic dimension of a single process.
  Neighbours neighbours;
  neighbours.cartesian = true;
  std::vector<std::vector<Origin>> origins;
  for (int me = 0; me < 3; ++me) {
    const int before = me == 0 ? kProcNull : me - 1, after = me == 2 ? kProcNull : me + 1;
    neighbours.destinations.push_back({before, after, me, me});
    neighbours.sources.push_back({before, after, me, me});
    origins.push_back({{me == 0 ? -1 : before, 1}, {me == 2 ? -1 : after, 0}, {me, 3}, {me, 2}});
  }
  run_neighbours(neighbours, origins);
}

// The checker itself notices what it is there for.
Status broken_race(const Call& call, Schedule& schedule) {
  if (call.rank == 0) {
    schedule.send(1, {Space::receive, 0, 4, nullptr});
  } else {
    const Buffer place{Space::receive, 0, 4, nullptr};
    schedule.recv(0, place);
    schedule.copy(place, schedule.scratch(4, nullptr));
  }
  return {};
}

Status broken_deadlock(const Call& call, Schedule& schedule) {
  const StepId sent = schedule.send(1 - call.rank, {Space::receive, 0, 4, nullptr});
  schedule.recv(1 - call.rank, schedule.scratch(4, nullptr), {sent});
  return {};
}

Status broken_order(const Call& call, Schedule& schedule) {
  for (int i = 0; i < 2; ++i) {
    if (call.rank == 0) schedule.send(1, {Space::receive, 0, 4, nullptr});
    if (call.rank == 1) schedule.recv(0, schedule.scratch(4, nullptr));
  }
  return {};
}

Status broken_length(const Call& call, Schedule& schedule) {
  if (call.rank == 0) schedule.send(1, {Space::receive, 0, 4, nullptr});
  if (call.rank == 1) schedule.recv(0, schedule.scratch(3, nullptr));
  return {};
}

Status broken_range(const Call&, Schedule& schedule) {
  schedule.copy({Space::receive, 0, 4, nullptr}, {Space::scratch, 0, 4, nullptr});
  return {};
}

// Rank 1 contributes twice, rank 2 not at all; what a set of ranks does not show in their number.
Status broken_sum(const Call& call, Schedule& schedule) {
  const Buffer mine{Space::send, 0, 1, call.receive.type},
      sum{Space::receive, 0, 1, call.receive.type};
  if (call.rank != 0) schedule.send(0, mine);
  if (call.rank != 0) return {};
  StepId last = schedule.copy(mine, sum);
  for (const int from : {1, 2}) {
    const Buffer landing = schedule.scratch(1, call.receive.type);
    const StepId got = schedule.recv(from, landing);
    const Buffer twice = schedule.scratch(1, call.receive.type);
    last = schedule.reduce(from == 1 ? landing : twice, sum, {last, got});
    if (from == 1) continue;
    const StepId copied = schedule.copy({Space::scratch, 0, 1, call.receive.type}, twice, {2});
    schedule.order(copied, last);
  }
  return {};
}

TEST(Checker, FindsARankThatCountsTwice) {
  std::vector<Process> processes =
      make_processes({.operation = reduce, .size = 3, .count = 1}, &commuting());
  EXPECT_NE(check(processes, broken_sum).find("wrong byte"), std::string::npos);
}

TEST(Checker, FindsWhatIsWrong) {
  const auto verdict = [](const Emitter& emit) {
    std::vector<Process> processes =
        make_processes({.operation = bcast, .size = 2, .count = 1}, nullptr);
    return check(processes, emit);
  };
  EXPECT_NE(verdict(broken_race).find("without order"), std::string::npos);
  EXPECT_NE(verdict(broken_deadlock).find("does not end"), std::string::npos);
  EXPECT_NE(verdict(broken_order).find("may start in any order"), std::string::npos);
  EXPECT_NE(verdict(broken_length).find("meets a receive"), std::string::npos);
  EXPECT_NE(verdict(broken_range).find("of a memory of"), std::string::npos);
  EXPECT_NE(verdict([](const Call&, Schedule&) { return Status(); }).find("wrong byte"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::coll::test
