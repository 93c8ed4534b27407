// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking calls of coll/sm between ranks as threads: amid blocking ones, many at a time, far
// ahead of a reader.
#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <random>
#include <thread>

#include "core/coll/table.h"
#include "core/comm/communicator.h"
#include "core/datatype/predefined.h"
#include "tests/coll/shared_memory_cases.h"

namespace tessera::coll::test {
namespace {

using enum Operation;
using tessera::test::run_ranks;
using tessera::test::Settings;

void finish(Comm& comm, Request& request) {
  comm.progress().wait_until([&] { return request.complete(); });
  EXPECT_TRUE(request.error().ok()) << request.error().text();
  request.free();
}

// Calls that have been started, to be waited for in any order.
class Started {
 public:
  Started(Comm& comm, std::uint32_t seed) : comm_(comm), random_(seed) {}
  ~Started() {
    while (!requests_.empty()) finish_one();
  }
  void start(const Call& call) {
    Result<Request*> request = comm_.collectives().value()->start(call);
    ASSERT_TRUE(request.ok()) << request.status().text();
    requests_.push_back(request.value());
    while (requests_.size() > 30 || (!requests_.empty() && random_() % 4 == 0)) finish_one();
  }
  void finish_one() {
    std::swap(requests_[random_() % requests_.size()], requests_.back());
    Request& request = *requests_.back();
    requests_.pop_back();
    finish(comm_, request);
  }

 private:
  Comm& comm_;
  std::mt19937 random_;
  std::vector<Request*> requests_;
};

// In an order that depends on the seed, as it does which calls are nonblocking.
void run_mixed(int size, std::vector<Shape> all, Settings settings, std::uint32_t seed) {
  std::shuffle(all.begin(), all.end(), std::mt19937(seed));
  std::vector<std::vector<Process>> processes;
  for (const Shape& shape : all) processes.push_back(make_processes(shape, &ordered()));
  settings.emplace_back("btl", "self,sm");
  lift_limits(settings);
  run_ranks(
      static_cast<std::uint32_t>(size),
      [&](Instance& instance) {
        Comm& comm = instance.world();
        Table& table = *comm.collectives().value();
        EXPECT_TRUE(table.run(Call(barrier, comm)).ok());  // makes the segment
        Started started(comm, seed + static_cast<std::uint32_t>(comm.rank()));
        std::mt19937 kinds(seed);
        for (std::vector<Process>& group : processes) {
          const Call& call = group[static_cast<std::size_t>(comm.rank())].on(comm);
          if (kinds() % 3 != 0) {
            started.start(call);
          } else {
            EXPECT_TRUE(table.run(call).ok());
          }
        }
      },
      settings);
  expect_results(all, processes);
}

constexpr Operation kOfOneRound[] = {barrier,   bcast,    gather, scatter,
                                     allgather, alltoall, reduce, allreduce};

TEST(NonblockingOnTheSharedSegment, AmidBlockingCalls) {
  for (int size = 2; size <= 5; ++size) {
    run_mixed(size, shapes(size), {{"coll_sm_slot_size", "4K"}}, 1);
    run_mixed(size, shapes(size, kOfOneRound, {0, 1, 2, 7, 9, 100, 257}), {}, 2);
  }
}

TEST(NonblockingOnTheSharedSegment, WithSleepers) {
  for (int size = 2; size <= 4; ++size)
    run_mixed(size, shapes(size, kOfOneRound, {1, 100}), {{"core_wait", "sleep"}}, 3);
}

// Of ranks that take turns: those alone take several rounds.
class SeveralRounds : public testing::Test {
 protected:
  SeveralRounds() {
    sched_getaffinity(0, sizeof all_, &all_);
    cpu_set_t one;
    CPU_ZERO(&one);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all_)) ++cpu;
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~SeveralRounds() override { sched_setaffinity(0, sizeof all_, &all_); }

 private:
  cpu_set_t all_;
};

constexpr Operation kOfSeveralRounds[] = {bcast, gather, scatter, allgather};
// Bytes of a chunk: so short that the longest blocks take more rounds than there is room for.
const Settings kShortChunks = {{"coll_sm_slot_size", "4K"}};

TEST_F(SeveralRounds, AmidBlockingCalls) {
  for (int size = 2; size <= 5; ++size) {
    for (std::uint32_t seed = 4; seed < 8; ++seed)
      run_mixed(size, shapes(size, kOfSeveralRounds, {1, 257, 1500, 5000}), kShortChunks, seed);
  }
}

TEST_F(SeveralRounds, WithSleepers) {
  Settings settings = kShortChunks;
  settings.emplace_back("core_wait", "sleep");
  for (int size = 2; size <= 4; ++size)
    run_mixed(size, shapes(size, kOfSeveralRounds, {1, 1500, 5000}), settings, 8);
}

// Everything that one rank has for the others, while they are elsewhere: more than there is room
// for.
void run_ahead(std::uint32_t size, Count bytes, Settings settings) {
  constexpr int kCalls = 700;
  std::atomic<bool> all_started = false;
  const auto value = [](int call) { return static_cast<std::byte>(call * 31 + 7); };
  const auto body = [&](Instance& instance) {
    Comm& comm = instance.world();
    Table& table = *comm.collectives().value();
    EXPECT_TRUE(table.run(Call(barrier, comm)).ok());
    const bool first = comm.rank() == 0;
    while (!first && !all_started) std::this_thread::yield();
    std::vector<std::vector<std::byte>> data;
    std::vector<Request*> requests;
    for (int i = 0; i < kCalls; ++i) {
      data.emplace_back(static_cast<std::size_t>(bytes), first ? value(i) : std::byte{});
      Call call(bcast, comm);
      call.receive.buffer = data.back().data();
      call.receive.count = bytes;
      call.receive.type = &byte_type();
      requests.push_back(table.start(call).value());
    }
    if (first) all_started = true;
    EXPECT_TRUE(table.run(Call(barrier, comm)).ok());
    for (Request* request : requests) finish(comm, *request);
    for (int i = 0; i < kCalls; ++i)
      EXPECT_EQ(data[static_cast<std::size_t>(i)],
                std::vector(static_cast<std::size_t>(bytes), value(i)));
  };
  settings.emplace_back("btl", "self,sm");
  run_ranks(size, body, settings);
}

TEST(NonblockingOnTheSharedSegment, FarAheadOfTheOthers) {
  for (const Count bytes : {8, 200, 3000}) {
    run_ahead(3, bytes, {});
    run_ahead(2, bytes, {{"core_wait", "sleep"}});
  }
}

TEST_F(SeveralRounds, FarAheadOfTheOthers) {
  run_ahead(3, 20'000, kShortChunks);
  run_ahead(2, 100'000, kShortChunks);
}

// A call is done as soon as what it needs is there, though one before it is not.
TEST(NonblockingOnTheSharedSegment, InAnyOrder) {
  std::atomic<bool> done = false;
  const auto body = [&](Instance& instance) {
    Comm& comm = instance.world();
    Table& table = *comm.collectives().value();
    EXPECT_TRUE(table.run(Call(barrier, comm)).ok());
    while (comm.rank() == 2 && !done) std::this_thread::yield();
    Request& first = *table.start(Call(barrier, comm)).value();
    std::int64_t number = comm.rank() == 1 ? 17 : 0;
    Call call(bcast, comm);
    call.root = 1;
    call.receive.buffer = &number;
    call.receive.count = sizeof number;
    call.receive.type = &byte_type();
    Request& second = *table.start(call).value();
    if (comm.rank() == 0) {
      comm.progress().wait_until([&] { return second.complete(); });
      EXPECT_FALSE(first.complete());
      EXPECT_EQ(number, 17);
      done = true;
    }
    finish(comm, first);
    finish(comm, second);
    EXPECT_EQ(number, 17);
  };
  run_ranks(3, body, {{"btl", "self,sm"}});
}

}  // namespace
}  // namespace tessera::coll::test
