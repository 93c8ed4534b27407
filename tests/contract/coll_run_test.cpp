// SPDX-License-Identifier: BSD-3-Clause
// Contract of every coll component, run for real: blocking, nonblocking and repeated, on top of the
// shipped component.
#include <gtest/gtest.h>

#include <cstring>

#include "coll_world.h"

namespace tessera::contract {

namespace {

using coll::Call;
using coll::Operation;
using coll::test::has_in_place;
using coll::test::make_processes;
using coll::test::Process;
using coll::test::Shape;

// What the component serves, in several sizes; an operation of another component now and then
// between them.
std::vector<Shape> shapes(int size, const coll::Table& table) {
  std::vector<Shape> all;
  for (const Operation operation :
       {Operation::barrier, Operation::bcast, Operation::gather, Operation::gatherv,
        Operation::scatter, Operation::scatterv, Operation::allgather, Operation::allgatherv,
        Operation::alltoall, Operation::alltoallv, Operation::alltoallw, Operation::reduce,
        Operation::allreduce, Operation::reduce_scatter, Operation::reduce_scatter_block,
        Operation::scan, Operation::exscan}) {
    if (table.modules(operation).empty()) continue;
    for (const Count count : {1, 9, 700}) {
      for (const bool in_place : {false, true}) {
        if (in_place && !has_in_place(operation)) continue;
        all.push_back({operation, size, 0, size - 1, count, in_place, false, false});
      }
    }
  }
  return all;
}

struct Work {
  std::vector<Shape> shapes;
  std::vector<std::vector<Process>> processes;
  std::vector<char> left_out;  // nobody carries it out; noted by process 0
  Work(int size, CollWorld& world, const Op& op) : shapes(contract::shapes(size, *world.table(0))) {
    for (const Shape& shape : shapes) processes.push_back(make_processes(shape, &op));
    left_out.assign(shapes.size(), 0);
  }
  void note(std::size_t i, int number, Status status) {
    EXPECT_TRUE(status.ok() || status == Errc::unsupported)
        << describe(shapes[i]) << ": " << status.text();
    if (number == 0 && !status.ok()) left_out[i] = 1;
  }
  void verify() const {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      for (const Process& process : processes[i]) {
        if (process.receive_matters && left_out[i] == 0) {
          EXPECT_EQ(process.receive.bytes, process.expected)
              << describe(shapes[i]) << ", rank " << process.call.rank;
        }
      }
    }
  }
};

class CollRun : public testing::TestWithParam<bool> {
 protected:
  // Processes that do not agree wait for each other for ever.
  void SetUp() override {
    if (testing::UnitTest::GetInstance()->failed_test_count() > 0)
      GTEST_SKIP() << "not run: what failed above could hang here";
  }
  bool rendezvous() const { return GetParam(); }
};

void run_blocking(int size, bool rendezvous, const Op& op) {
  CollWorld world(size, 0, rendezvous);
  ASSERT_TRUE(world.opened().ok() || std::strlen(world.opened().text()) > 0);
  if (!world.opened().ok()) return;
  Work work(size, world, op);
  world.net().run([&](int number) {
    const auto table = world.table(number);
    for (std::size_t i = 0; i < work.shapes.size(); ++i) {
      const Call call = work.processes[i][static_cast<std::size_t>(number)].on(world.comm(number));
      work.note(i, number, table->run(call));
    }
  });
  work.verify();
}

TEST_P(CollRun, BlockingGivesTheResult) {
  for (int size = 1; size <= 5; ++size) run_blocking(size, rendezvous(), commuting_op());
}

TEST_P(CollRun, BlockingGivesTheResultInOrder) {
  for (int size = 2; size <= 4; ++size) run_blocking(size, rendezvous(), ordered_op());
}

// All at once, waited for from the last to the first.
TEST_P(CollRun, NonblockingGivesTheResult) {
  for (const int size : {1, 3, 4}) {
    CollWorld world(size, 0, rendezvous());
    if (!world.opened().ok()) return;
    Work work(size, world, commuting_op());
    world.net().run([&](int number) {
      const auto table = world.table(number);
      std::vector<Request*> requests;
      for (std::size_t i = 0; i < work.shapes.size(); ++i) {
        const auto request = table->start(
            work.processes[i][static_cast<std::size_t>(number)].on(world.comm(number)));
        work.note(i, number, request.status());
        if (request) requests.push_back(request.value());
      }
      for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
        world.net().rank(static_cast<std::uint32_t>(number)).progress->wait_until([&] {
          return (*request)->complete();
        });
        EXPECT_TRUE((*request)->status().error.ok()) << (*request)->status().error.text();
        (*request)->free();
      }
    });
    work.verify();
  }
}

// Nothing of one operation is taken for the next: processes run ahead of each other as far as the
// operation lets them.
TEST_P(CollRun, ManyInARow) {
  CollWorld world(3, 0, rendezvous());
  if (!world.opened().ok()) return;
  std::vector<std::unique_ptr<Work>> rounds;
  for (int i = 0; i < 40; ++i) rounds.push_back(std::make_unique<Work>(3, world, commuting_op()));
  world.net().run([&](int number) {
    const auto table = world.table(number);
    for (const auto& round : rounds) {
      for (std::size_t i = 0; i < round->shapes.size(); ++i) {
        const Call call =
            round->processes[i][static_cast<std::size_t>(number)].on(world.comm(number));
        round->note(i, number, table->run(call));
      }
    }
  });
  for (const auto& round : rounds) round->verify();
}

TEST_P(CollRun, ModulesAndCommunicatorsComeAndGo) {
  for (int i = 0; i < 20; ++i) {
    CollWorld world(2, 0, rendezvous());
    if (!world.opened().ok()) return;
    for (int number = 0; number < 2; ++number) {
      for (int again = 0; again < 3; ++again) {
        const auto module = world.query(number);
        if (module) delete module.value();
      }
    }
  }
}

std::string mode_name(const testing::TestParamInfo<bool>& info) {
  return info.param ? "rendezvous" : "eager";
}

INSTANTIATE_TEST_SUITE_P(All, CollRun, testing::Bool(), mode_name);

}  // namespace

}  // namespace tessera::contract
