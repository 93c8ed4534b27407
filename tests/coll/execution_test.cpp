// SPDX-License-Identifier: BSD-3-Clause
// Collective operations run by the engine over a point-to-point layer in memory: blocking,
// nonblocking, persistent, failing.
#include <gtest/gtest.h>

#include <array>

#include "components/coll/basic/module.h"
#include "core/coll/rules.h"
#include "core/coll/table.h"
#include "tests/coll/cases.h"
#include "tests/coll/fake_net.h"
#include "tests/coll/fake_params.h"

namespace tessera::coll::test {
namespace {

using enum Operation;

class BasicComponent final : public Component {
 public:
  Status open(const Host&) noexcept override { return {}; }
  Result<Module*> query(Communicator& comm) noexcept override {
    return static_cast<Module*>(new basic::BasicModule(chooser_, Layout{}, comm.inter()));
  }

 private:
  FakeParams params_;
  RuleSet rules_{builtin_rules()};
  basic::Chooser chooser_{params_, rules_};
};

std::unique_ptr<Table> make_table(Communicator& comm) {
  static BasicComponent component;
  const Candidate candidates[] = {{component, "basic", 10}};
  return std::move(Table::make(comm, candidates)).value();
}

void expect_result(const Process& process, const Shape& shape) {
  if (!process.receive_matters) return;
  EXPECT_EQ(process.receive.bytes, process.expected)
      << describe(shape) << ", rank " << process.call.rank;
}

const ModelOp& commuting() {
  static const ModelOp op(true);
  return op;
}

std::vector<Shape> shapes(int size, int remote_size) {
  std::vector<Shape> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(neighbor_allgather); ++i) {
    const auto operation = static_cast<Operation>(i);
    if (remote_size > 0 && basic::inter_algorithm(operation) == nullptr) continue;
    for (const Count count : {1, 9, 3000}) {
      for (const bool in_place : {false, true}) {
        if (in_place && (!has_in_place(operation) || remote_size > 0)) continue;
        all.push_back({operation, size, remote_size, size - 1, count, in_place, false, in_place});
      }
    }
  }
  return all;
}

void run_blocking(int size, int remote_size, bool rendezvous) {
  FakeNet net(size + remote_size, rendezvous, remote_size > 0 ? size : 0);
  const std::vector<Shape> all = shapes(size, remote_size);
  std::vector<std::vector<Process>> processes;
  for (const Shape& shape : all) processes.push_back(make_processes(shape, &commuting()));
  net.run([&](int number) {
    const std::unique_ptr<Table> table = make_table(net.comm(number));
    for (std::vector<Process>& group : processes) {
      const Status outcome =
          table->run(group[static_cast<std::size_t>(number)].on(net.comm(number)));
      EXPECT_TRUE(outcome.ok()) << outcome.text();
    }
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Process& process : processes[i]) expect_result(process, all[i]);
  }
  for (int i = 1; i < net.size(); ++i) EXPECT_EQ(net.comm(i).tags_used(), net.comm(0).tags_used());
}

TEST(Blocking, EveryOperationEager) {
  for (int size = 1; size <= 5; ++size) run_blocking(size, 0, false);
}

TEST(Blocking, EveryOperationRendezvous) {
  for (int size = 1; size <= 5; ++size) run_blocking(size, 0, true);
}

TEST(Blocking, EveryOperationOnIntercommunicators) {
  for (const bool rendezvous : {false, true}) {
    run_blocking(1, 1, rendezvous);
    run_blocking(2, 3, rendezvous);
    run_blocking(3, 2, rendezvous);
  }
}

// All operations at once on one communicator, waited for from the last to the first.
void run_nonblocking(int size, bool rendezvous) {
  FakeNet net(size, rendezvous);
  const std::vector<Shape> all = shapes(size, 0);
  std::vector<std::vector<Process>> processes;
  for (const Shape& shape : all) processes.push_back(make_processes(shape, &commuting()));
  net.run([&](int number) {
    FakeCommunicator& comm = net.comm(number);
    const std::unique_ptr<Table> table = make_table(comm);
    std::vector<Request*> requests;
    for (std::vector<Process>& group : processes) {
      requests.push_back(table->start(group[static_cast<std::size_t>(number)].on(comm)).value());
    }
    while (!requests.empty()) {
      Request& request = *requests.back();
      requests.pop_back();
      comm.progress().wait_until([&] { return request.complete(); });
      EXPECT_TRUE(request.status().error.ok()) << request.status().error.text();
      request.free();
    }
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Process& process : processes[i]) expect_result(process, all[i]);
  }
}

TEST(Nonblocking, ManyAtOnce) {
  for (const bool rendezvous : {false, true}) {
    for (int size = 1; size <= 4; ++size) run_nonblocking(size, rendezvous);
  }
  EXPECT_EQ(FakeRequest::alive, 0);
}

TEST(Nonblocking, OutlivesHandleAndCommunicator) {
  {
    FakeNet net(2, true);
    const Shape shape{.operation = allreduce, .size = 2, .count = 5};
    std::vector<Process> processes = make_processes(shape, &commuting());
    net.run([&](int number) {
      FakeCommunicator& comm = net.comm(number);
      Process& process = processes[static_cast<std::size_t>(number)];
      Request& request = *comm.own(make_table(comm)).start(process.on(comm)).value();
      Progress& progress = comm.progress();
      net.rank(static_cast<std::uint32_t>(number)).comm = nullptr;
      comm.release();
      bool done = false;
      request.then([](Request&, void* flag) noexcept { *static_cast<bool*>(flag) = true; }, &done);
      request.free();
      progress.wait_until([&] { return done; });
    });
    for (const Process& process : processes) expect_result(process, shape);
  }
  EXPECT_EQ(FakeCommunicator::alive, 0);
  EXPECT_EQ(FakeRequest::alive, 0);
}

TEST(Persistent, StartsAgainAndAgain) {
  for (const bool rendezvous : {false, true}) {
    FakeNet net(3, rendezvous);
    const Shape shape{.operation = allreduce, .size = 3, .count = 600};
    std::vector<Process> processes = make_processes(shape, &commuting());
    net.run([&](int number) {
      FakeCommunicator& comm = net.comm(number);
      Process& process = processes[static_cast<std::size_t>(number)];
      const std::unique_ptr<Table> table = make_table(comm);
      Request& request = *table->init(process.on(comm)).value();
      EXPECT_TRUE(request.persistent());
      EXPECT_TRUE(request.complete());
      EXPECT_FALSE(request.active());
      for (int round = 0; round < 10; ++round) {
        std::fill(process.receive.bytes.begin(), process.receive.bytes.end(), std::byte{});
        ASSERT_TRUE(request.start().ok());
        comm.progress().wait_until([&] { return request.complete(); });
        EXPECT_TRUE(request.status().error.ok());
        expect_result(process, shape);
        request.deactivate();
      }
      request.free();
    });
  }
  EXPECT_EQ(FakeRequest::alive, 0);
}

// A failure on one process ends the operation everywhere and is known to all whose result depends
// on it.
std::vector<Errc> outcomes(FakeNet& net, std::vector<Process>& processes, bool nonblocking) {
  std::vector<Errc> all(processes.size());
  net.run([&](int number) {
    FakeCommunicator& comm = net.comm(number);
    const std::unique_ptr<Table> table = make_table(comm);
    const Call call = processes[static_cast<std::size_t>(number)].on(comm);
    Errc& mine = all[static_cast<std::size_t>(number)];
    if (!nonblocking) {
      mine = table->run(call).code();
      return;
    }
    Request& request = *table->start(call).value();
    comm.progress().wait_until([&] { return request.complete(); });
    mine = request.status().error.code();
    request.free();
  });
  return all;
}

TEST(Failure, OfAmountsThatDifferIsKnownToAll) {
  for (const bool nonblocking : {false, true}) {
    for (const Count count : {1, 3000}) {
      FakeNet net(4, false);
      std::vector<Process> processes =
          make_processes({.operation = allreduce, .size = 4, .count = count}, &commuting());
      processes[3].call.receive.count = processes[3].call.send.count =
          count + 1;  // more than the others
      processes[3].send = Memory::of(count + 1, processes[3].call.send.type);
      processes[3].receive = Memory::of(count + 1, processes[3].call.send.type);
      for (const Errc outcome : outcomes(net, processes, nonblocking))
        EXPECT_EQ(outcome, Errc::truncated);
    }
  }
  EXPECT_EQ(FakeRequest::alive, 0);
}

// A broadcast goes from 0 to 2 and then to 1, and from 2 to 3.
TEST(Failure, OfALinkIsPassedOn) {
  for (const bool nonblocking : {false, true}) {
    FakeNet net(4, false);
    net.cut(0, 2);
    std::vector<Process> processes =
        make_processes({.operation = bcast, .size = 4, .count = 2}, nullptr);
    const std::vector<Errc> expected(4, Errc::peer_failed);  // a message of one byte says so
    EXPECT_EQ(outcomes(net, processes, nonblocking), expected);
  }
}

TEST(Failure, OfTheOpIsReported) {
  struct Refusing final : Op {
    bool accepts(const Datatype&) const noexcept override { return true; }
    Status apply(const void*, void*, Count, const Datatype&) const noexcept override {
      return Status::failure(Errc::operation, "no");
    }
  };
  static const Refusing op;
  FakeNet net(3, true);
  std::vector<Process> processes =
      make_processes({.operation = reduce, .size = 3, .count = 4}, &op);
  const std::vector<Errc> all = outcomes(net, processes, false);
  EXPECT_EQ(all[0], Errc::operation);
}

// A single message in either direction is waited for where it is: no request, no continuation.
TEST(Blocking, TwoProcessesExchangeTwoMessages) {
  FakeNet net(2, false);
  std::vector<Process> processes =
      make_processes({.operation = allreduce, .size = 2, .count = 1}, &commuting());
  outcomes(net, processes, false);
  for (std::uint32_t i = 0; i < 2; ++i) EXPECT_EQ(net.rank(i).pml->calls, 2);
}

// So that those of the others find their buffers, and the pml knows that messages cross.
TEST(Order, LongMessagesGoWhenTheReceivesStand) {
  for (const auto& [count, standing] : {std::pair<Count, std::size_t>{9, 0}, {30'000, 1}}) {
    FakeNet net(2, false);
    std::vector<Process> processes = make_processes({allgather, 2, 0, 0, count}, nullptr);
    net.run([&](int number) {
      FakeCommunicator& comm = net.comm(number);
      const std::unique_ptr<Table> table = make_table(comm);
      Request& request =
          *table->start(processes[static_cast<std::size_t>(number)].on(comm)).value();
      const FakePml& pml = *net.rank(static_cast<std::uint32_t>(number)).pml;
      EXPECT_EQ(pml.standing, standing) << count;
      EXPECT_EQ(pml.followed, standing) << count;
      comm.progress().wait_until([&] { return request.complete(); });
      request.free();
    });
  }
}

}  // namespace
}  // namespace tessera::coll::test
