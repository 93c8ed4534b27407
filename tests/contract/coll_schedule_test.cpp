// SPDX-License-Identifier: BSD-3-Clause
// Contract of every coll component, its schedules: all processes choose alike, and what they emit
// gives the result.
#include <gtest/gtest.h>

#include <cstring>

#include "coll_world.h"
#include "tools/schedules/checker.h"

namespace tessera::contract {

namespace {

using coll::Call;
using coll::Operation;
using coll::Schedule;
using coll::test::check;
using coll::test::has_in_place;
using coll::test::make_neighbour_processes;
using coll::test::make_processes;
using coll::test::reduces;
using coll::test::Shape;

using Modules = std::vector<std::unique_ptr<coll::Module>>;

// Empty when the component serves no such communicator.
Modules ask(CollWorld& world) {
  Modules modules;
  int refusals = 0;
  for (int number = 0; number < world.processes(); ++number) {
    const Result<coll::Module*> answer = world.query(number);
    if (answer) {
      EXPECT_NE(answer.value(), nullptr);
      modules.emplace_back(answer.value());
    } else {
      ++refusals;
      EXPECT_GT(std::strlen(answer.status().text()), 0u);
    }
  }
  EXPECT_TRUE(refusals == 0 || modules.empty())
      << "some processes were given a module and others were not";
  return modules;
}

// The schedules of one operation, each process asking its own module.
class Emission {
 public:
  Emission(Modules& modules, std::vector<coll::test::Process>& processes)
      : modules_(modules), processes_(processes) {}

  Status operator()(const Call& call, Schedule& schedule) const {
    std::size_t number = 0;
    while (&processes_[number].call != &call) ++number;
    return modules_[number]->emit(call, schedule);
  }
  // Whether the modules carry this call out by schedules.
  bool offered() const {
    std::size_t unsupported = 0;
    for (const coll::test::Process& process : processes_) {
      Schedule schedule;
      const Status status = (*this)(process.call, schedule);
      unsupported += status == Errc::unsupported ? 1u : 0u;
      EXPECT_TRUE(status.ok() || status == Errc::unsupported) << status.text();
      if (status.ok()) {
        EXPECT_STRNE(schedule.algorithm(), "") << "label() names what was chosen";
      }
    }
    EXPECT_TRUE(unsupported == 0 || unsupported == processes_.size())
        << "some processes answer `unsupported` and others do not";
    return unsupported == 0;
  }

 private:
  Modules& modules_;
  std::vector<coll::test::Process>& processes_;
};

void check_shape(Modules& modules, const Shape& shape, const Op& op) {
  std::vector<coll::test::Process> processes = make_processes(shape, &op);
  const Emission emission(modules, processes);
  if (!emission.offered()) return;
  const std::string wrong = check(processes, emission, shape.remote_size > 0 ? shape.size : 0);
  EXPECT_EQ(wrong, "") << describe(shape) << (op.commutative() ? "" : ", ordered op");
}

void check_variants(Modules& modules, Shape shape) {
  for (const bool in_place : {false, true}) {
    if (in_place && (!has_in_place(shape.operation) || shape.remote_size > 0)) continue;
    for (const bool sparse : {false, true}) {
      shape.in_place = in_place;
      shape.sparse = sparse;
      shape.wide = in_place != sparse;
      check_shape(modules, shape, commuting_op());
      if (reduces(shape.operation)) check_shape(modules, shape, ordered_op());
    }
  }
}

class CollSchedules : public testing::TestWithParam<Operation> {
 protected:
  void check_all(int size, int remote_size, std::initializer_list<Count> counts) {
    CollWorld world(size, remote_size);
    if (!world.opened().ok()) return;
    Modules modules = ask(world);
    if (modules.empty() || !modules.front()->serves(GetParam())) return;
    for (int root = 0; root < (coll::test::rooted(GetParam()) ? size : 1); ++root) {
      for (const Count count : counts) {
        check_variants(modules, {.operation = GetParam(),
                                 .size = size,
                                 .remote_size = remote_size,
                                 .root = root,
                                 .count = count});
        if (HasFailure()) return;
      }
    }
  }
};

TEST_P(CollSchedules, GiveTheResultForAllSizesAndRoots) {
  for (int size = 1; size <= 9; ++size) check_all(size, 0, {0, 1, 7, 40});
}

TEST_P(CollSchedules, GiveTheResultForLongVectors) {
  for (const int size : {2, 5, 8}) check_all(size, 0, {1500});
}

TEST_P(CollSchedules, GiveTheResultOnIntercommunicators) {
  for (const auto& [size, remote] : {std::pair{1, 1}, {1, 3}, {3, 2}, {4, 4}})
    check_all(size, remote, {0, 1, 7});
}

std::vector<Operation> operations(Operation first, Operation last) {
  std::vector<Operation> list;
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i)
    list.push_back(static_cast<Operation>(i));
  return list;
}

std::string operation_name(const testing::TestParamInfo<Operation>& info) {
  return coll::name(info.param);
}

INSTANTIATE_TEST_SUITE_P(All, CollSchedules,
                         testing::ValuesIn(operations(Operation::barrier, Operation::exscan)),
                         operation_name);

// As long as one process has not come to a barrier, none goes.
TEST(CollBarrier, NobodyLeavesBeforeTheLastHasCome) {
  for (int size = 2; size <= 9; ++size) {
    CollWorld world(size);
    if (!world.opened().ok()) return;
    Modules modules = ask(world);
    if (modules.empty() || !modules.front()->serves(Operation::barrier)) return;
    for (int absent = 0; absent < size; ++absent) {
      std::vector<coll::test::Process> processes =
          make_processes({.operation = Operation::barrier, .size = size}, nullptr);
      const Emission emission(modules, processes);
      if (!emission.offered()) return;
      EXPECT_EQ(finishers_without(processes, emission, absent), 0)
          << size << " processes, without " << absent;
    }
  }
}

class CollNeighbours : public testing::TestWithParam<Operation> {
 protected:
  using Origins = std::vector<std::vector<coll::test::Origin>>;
  void check_all(const coll::test::Neighbours& neighbours, const Origins& origins) {
    CollWorld world(static_cast<int>(neighbours.destinations.size()));
    if (!world.opened().ok()) return;
    Modules modules = ask(world);
    if (modules.empty() || !modules.front()->serves(GetParam())) return;
    for (const Count count : {0, 1, 5}) {
      for (const bool sparse : {false, true}) {
        auto processes = make_neighbour_processes(GetParam(), neighbours, count, sparse, origins);
        const Emission emission(modules, processes);
        if (emission.offered()) {
          EXPECT_EQ(check(processes, emission), "") << "count " << count;
        }
      }
    }
  }
};

TEST_P(CollNeighbours, GraphWithSeveralEdgesBetweenTwoProcesses) {
  // 0 -> 1 twice, 1 -> 0, 1 -> 1 (itself), 2 has none.
  check_all({{{1, 1}, {0, 1}, {}}, {{1}, {0, 1, 0}, {}}}, {{{1, 0}}, {{0, 0}, {1, 1}, {0, 1}}, {}});
}

TEST_P(CollNeighbours, PeriodicRing) {
  for (int size = 1; size <= 4; ++size) {
    coll::test::Neighbours neighbours;
    neighbours.cartesian = true;
    Origins origins;
    for (int me = 0; me < size; ++me) {
      const int before = (me + size - 1) % size, after = (me + 1) % size;
      neighbours.destinations.push_back({before, after});
      neighbours.sources.push_back({before, after});
      origins.push_back({{before, 1}, {after, 0}});
    }
    check_all(neighbours, origins);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CollNeighbours,
                         testing::ValuesIn(operations(Operation::neighbor_allgather,
                                                      Operation::neighbor_alltoallw)),
                         operation_name);

}  // namespace

}  // namespace tessera::contract
