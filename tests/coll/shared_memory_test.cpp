// SPDX-License-Identifier: BSD-3-Clause
// coll/sm between ranks as threads: every operation, root and amount, in one long row on one
// communicator.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/mman.h>

#include <random>
#include <span>

#include "core/coll/table.h"
#include "core/comm/agreement.h"
#include "core/comm/communicator.h"
#include "core/datatype/predefined.h"
#include "tests/coll/shared_memory_cases.h"

namespace tessera::coll::test {
namespace {

using enum Operation;
using tessera::test::run_ranks;
using tessera::test::Settings;

const Datatype& doubles() {
  return *predefined_type(reinterpret_cast<std::uintptr_t>(MPI_DOUBLE));
}

// All operations in an order that depends on the seed, each rank at its own pace.
enum class Rules { in_force, lifted };

void run_shapes(int size, std::vector<Shape> all, Settings settings, std::uint32_t seed,
                bool on_duplicate = false, Rules rules = Rules::lifted) {
  std::shuffle(all.begin(), all.end(), std::mt19937(seed));
  std::vector<std::vector<Process>> processes;
  for (const Shape& shape : all) processes.push_back(make_processes(shape, &ordered()));
  settings.emplace_back("btl", "self,sm");
  if (rules == Rules::lifted) lift_limits(settings);
  run_ranks(
      static_cast<std::uint32_t>(size),
      [&](Instance& instance) {
        auto copy = on_duplicate ? duplicate(instance.world()) : Result<Comm*>(&instance.world());
        ASSERT_TRUE(copy.ok()) << copy.status().text();
        Comm& comm = **copy;
        std::mt19937 random(seed + static_cast<std::uint32_t>(comm.rank()));
        for (std::vector<Process>& group : processes) {
          if (random() % 8 == 0) std::this_thread::yield();
          const auto rank = static_cast<std::size_t>(comm.rank());
          const Status outcome = comm.collectives().value()->run(group[rank].on(comm));
          EXPECT_TRUE(outcome.ok()) << outcome.text();
        }
        if (on_duplicate) comm.release();
      },
      settings);
  expect_results(all, processes);
}

void run_all(int size, const Settings& settings, std::uint32_t seed, bool on_duplicate = false,
             Rules rules = Rules::lifted) {
  run_shapes(size, shapes(size), settings, seed, on_duplicate, rules);
}

TEST(SharedMemoryCollectives, EveryOperationInSmallPackages) {
  for (int size = 2; size <= 5; ++size) run_all(size, {{"coll_sm_slot_size", "4K"}}, 1);
}

TEST(SharedMemoryCollectives, EveryOperationInLargePackages) {
  for (const int size : {2, 3, 7}) run_all(size, {}, 2);
}

// Plans change in the middle, in the same call for all.
TEST(SharedMemoryCollectives, TheMachineMeasuredAgainAndAgain) {
  for (int size = 2; size <= 4; ++size)
    run_shapes(size, shapes(size, kServed, {1, 257, 600, 1500, 3000, 20000}),
               {{"coll_sm_recalibrate", "always"}}, 11, false, Rules::in_force);
}

// Around the limit, fewer elements than processes, and parts of more than one block.
constexpr Operation kDirect[] = {reduce, allreduce, reduce_scatter, reduce_scatter_block, exscan};

TEST(SharedMemoryCollectives, ReductionsFromOthersMemory) {
  for (int size = 2; size <= 5; ++size) {
    const std::vector<Shape> all = shapes(size, kDirect, {0, 1, 3, 99, 100, 101, 1500, 11000});
    run_shapes(size, all, {{"coll_sm_direct_limit", "2400"}}, 8);
    run_shapes(size, shapes(size, kDirect, {0, 1, 2, 4, 257}), {{"coll_sm_direct_limit", "1"}}, 9);
  }
}

// Elements with holes go as messages, after all have found out.
constexpr Operation kMoving[] = {gather,   scatter,    allgather, alltoall, gatherv,
                                 scatterv, allgatherv, alltoallv, alltoallw};

TEST(SharedMemoryCollectives, BlocksFromOthersMemory) {
  for (int size = 2; size <= 5; ++size)
    run_shapes(size, shapes(size, kMoving), {{"coll_sm_direct_limit", "100"}}, 14);
}

// Elements with holes on some ranks included; of two processes the root copies a part itself.
TEST(SharedMemoryCollectives, BroadcastsFromTheRootsMemory) {
  constexpr Operation kBcast[] = {bcast};
  for (int size = 2; size <= 5; ++size) {
    run_shapes(
        size, shapes(size, kBcast, {0, 1, 9, 257, 1500, 11000}),
        {{"coll_sm_direct_limit", "100"}, {"machine_figures", "split=900000,split_call_ns=1"}}, 15);
  }
  run_shapes(3, shapes(3, kBcast, {257, 1500}),
             {{"coll_sm_direct", "false"}, {"coll_sm_direct_limit", "1"}, {"core_wait", "sleep"}},
             16);
}

// Likewise: with holes, without, in place; sender and receiver copy a part each.
TEST(SharedMemoryCollectives, ABlockBetweenTwoIsCopiedByBoth) {
  constexpr Operation kOneBlock[] = {gather, scatter, gatherv, scatterv};
  const std::vector<Shape> all = shapes(2, kOneBlock, {0, 1, 9, 257, 1500, 11000});
  const Settings both{{"coll_sm_direct_limit", "100"},
                      {"machine_figures", "split=900000,split_call_ns=1"}};
  run_shapes(2, all, both, 17);
  Settings sleeping = both;
  sleeping.emplace_back("core_wait", "sleep");
  run_shapes(2, all, sleeping, 18);
}

TEST(SharedMemoryCollectives, ReductionsFromOthersMemoryWithSleepers) {
  run_shapes(3, shapes(3, kDirect, {5, 257}),
             {{"coll_sm_direct_limit", "1"}, {"core_wait", "sleep"}}, 10);
}

TEST(SharedMemoryCollectives, LargeReductionsWithoutOthersMemory) {
  const Settings without{{"coll_sm_direct", "false"}, {"coll_sm_direct_limit", "1"}};
  const std::vector<Shape> all = shapes(3, kDirect, {1, 1500, 11000});
  run_shapes(3, all, without, 11);                          // on the board
  run_shapes(3, all, without, 12, false, Rules::in_force);  // by messages, beyond some packages
}

TEST(SharedMemoryCollectives, ByRulesLargeReductionsGoDirectly) {
  for (const int size : {2, 4})
    run_shapes(size, shapes(size, kDirect, {1500, 11000}), {}, 13, true, Rules::in_force);
}

// Memory of a vector of two parts, the first of which no other process may read.
class HalfClosed {
 public:
  static constexpr Count kPart = 1024;  // elements; whole pages
  HalfClosed()
      : bytes_(static_cast<std::size_t>(2 * kPart * dense_element().size())),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    EXPECT_NE(memory_, MAP_FAILED);
    EXPECT_EQ(mprotect(memory_, bytes_ / 2, PROT_NONE), 0);
  }
  HalfClosed(const HalfClosed&) = delete;
  ~HalfClosed() { munmap(memory_, bytes_); }
  void* memory() const { return memory_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

// An allreduce of `result`, from `operand`.
Call allreduce_of(Comm& comm, void* operand, Memory& result, Count count) {
  Call call(allreduce, comm);
  call.op = &ordered();
  call.send.type = call.receive.type = &dense_element();
  call.send.count = call.receive.count = count;
  call.send.buffer = operand;
  call.receive.buffer = result.bytes.data();
  return call;
}

TEST(SharedMemoryCollectives, FailureToReadIsKnownToAll) {
  const HalfClosed half;
  const auto body = [&](Instance& instance) {
    constexpr Count kCount = 2 * HalfClosed::kPart;
    Comm& comm = instance.world();
    Table& table = *comm.collectives().value();
    Memory operand = Memory::of(kCount, &dense_element());
    Memory result = operand;
    void* const closed = comm.rank() == 1 ? half.memory() : operand.bytes.data();
    const Status outcome = table.run(allreduce_of(comm, closed, result, kCount));
    EXPECT_EQ(outcome.code(), Errc::system);
    const char* text =
        comm.rank() == 0 ? "process_vm_readv of 24576 bytes" : "rank 0 could not compute";
    EXPECT_NE(std::string(outcome.text()).find(text), std::string::npos) << outcome.text();
    const char* advice = comm.rank() == 0 ? "; set coll_sm_direct=false" : "";
    EXPECT_NE(std::string(outcome.text()).find(advice), std::string::npos) << outcome.text();
    EXPECT_TRUE(table.run(allreduce_of(comm, operand.bytes.data(), result, kCount)).ok());
  };
  run_ranks(2, body,
            {{"btl", "self,sm"}, {"coll_sm_direct_limit", "1"}, {"coll_sm_allreduce_limit", "1G"}});
}

TEST(SharedMemoryCollectives, AFailureToCopyABlockIsKnownToBoth) {
  const HalfClosed half;
  const auto body = [&](Instance& instance) {
    constexpr Count kCount = 2 * HalfClosed::kPart;
    Comm& comm = instance.world();
    if (comm.job().local_size() > comm.job().usable_cpus()) return;  // one process copies all
    Memory block = Memory::of(kCount, &dense_element());
    Memory both = Memory::of(2 * kCount, &dense_element());
    Call call(gather, comm);
    call.root = 1;
    call.send.type = call.receive.type = &dense_element();
    call.send.count = call.receive.count = kCount;
    call.send.buffer = comm.rank() == 0 ? half.memory() : block.bytes.data();
    call.receive.buffer = both.bytes.data();
    Table& table = *comm.collectives().value();
    EXPECT_EQ(table.run(call).code(), Errc::system);
    call.send.buffer = block.bytes.data();
    EXPECT_TRUE(table.run(call).ok());
  };
  run_ranks(2, body,
            {{"btl", "self,sm"},
             {"coll_sm_direct_limit", "1"},
             {"coll_sm_gather_limit", "1G"},
             {"machine_figures", "split=900000,split_call_ns=1"}});
}

TEST(SharedMemoryCollectives, WithoutOthersMemoryLargeReductionsAreLeftToMessages) {
  const auto body = [](Instance& instance) {
    constexpr Count kCount = 11000;
    Comm& comm = instance.world();
    Memory operand = Memory::of(kCount, &dense_element());
    Memory result = operand;
    Table& table = *comm.collectives().value();
    ASSERT_FALSE(table.modules(allreduce).empty());
    Module& top = *table.modules(allreduce).front();
    EXPECT_EQ(top.run(allreduce_of(comm, operand.bytes.data(), result, kCount)), Errc::unsupported);
    EXPECT_TRUE(top.run(allreduce_of(comm, operand.bytes.data(), result, 1)).ok());
  };
  run_ranks(2, body,
            {{"btl", "self,sm"}, {"coll_sm_direct", "false"}, {"machine_figures", "stream=1000"}});
}

// Neither order nor grouping can be changed without another result.
class Away final : public Op {
 public:
  bool accepts(const Datatype&) const noexcept override { return true; }
  Status apply(const void* in, void* inout, Count count, const Datatype&) const noexcept override {
    for (Count i = 0; i < count; ++i)
      static_cast<double*>(inout)[i] =
          of(static_cast<const double*>(in)[i], static_cast<double*>(inout)[i]);
    return {};
  }
  static double of(double left, double right) { return 3 * left - right; }

 private:
  void dispose() const noexcept override {}
};

double operand_of(int rank, int round, Count i) {
  return 1 + rank + round % 7 + static_cast<double>(i % 11);
}

// From the left, over the ranks 0 to `last`.
double scan_of(int last, int round, Count i) {
  double result = operand_of(0, round, i);
  for (int rank = 1; rank <= last; ++rank) result = Away::of(result, operand_of(rank, round, i));
  return result;
}

void one_scan(Comm& comm, int round, Count count) {
  static const Away away;
  const Operation operation = round % 2 == 0 ? scan : exscan;
  const int last = operation == scan ? comm.rank() : comm.rank() - 1;
  const auto room = static_cast<std::size_t>(count) + 1;
  std::vector<double> given(room), result(room, -1);
  for (std::size_t i = 0; i < room; ++i)
    given[i] = operand_of(comm.rank(), round, static_cast<Count>(i));
  Call call(operation, comm);
  call.op = &away;
  call.send.buffer = given.data();
  call.receive.buffer = result.data();
  call.send.count = call.receive.count = count;
  call.send.type = call.receive.type = &doubles();
  call.in_place = round % 3 == 2;
  if (call.in_place) result = given, result.back() = -1;
  const std::vector<double> before = result;
  ASSERT_TRUE(comm.collectives().value()->run(call).ok());
  for (std::size_t i = 0; i < room; ++i) {
    const bool meant = i + 1 < room && last >= 0;
    ASSERT_EQ(result[i], meant ? scan_of(last, round, static_cast<Count>(i)) : before[i])
        << "round " << round << ", element " << i << " of " << count;
  }
}

// Back to back, with halts of one rank or another: the sum of the rank before is there or not.
void scan_rounds(Comm& comm, int rounds, std::span<const Count> counts) {
  Table& table = *comm.collectives().value();
  std::mt19937 random(static_cast<std::uint32_t>(comm.rank()));
  for (int round = 0; round < rounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(
        one_scan(comm, round, counts[static_cast<std::size_t>(round) % counts.size()]));
    if (random() % 16 == 0) std::this_thread::yield();
    if (round % 500 == 499) {
      EXPECT_TRUE(table.run(Call(barrier, comm)).ok());
    }
  }
}

void run_scans(int rounds, std::vector<Count> counts, Settings settings) {
  settings.emplace_back("btl", "self,sm");
  lift_limits(settings);
  for (const std::uint32_t size : {2u, 3u, 6u})
    run_ranks(
        size, [&](Instance& instance) { scan_rounds(instance.world(), rounds, counts); }, settings);
}

TEST(SharedMemoryCollectives, ScansOfFewBytesGoFromTheLeftWhoeverIsLate) {
  run_scans(3000, {1, 2, 3}, {});  // up to what a line holds twice
}

// A package holds 512 elements. More than four of them, so that the rank after the next may still
// read older ones.
TEST(SharedMemoryCollectives, LongScansGoFromTheLeftWhoeverIsLate) {
  run_scans(300, {5, 512, 513, 5000, 2, 2049, 0}, {{"coll_sm_slot_size", "4K"}});
}

TEST(SharedMemoryCollectives, SleepersAreWoken) {
  run_all(3, {{"core_wait", "sleep"}, {"coll_sm_slot_size", "4K"}}, 3);
}

TEST(SharedMemoryCollectives, WithoutRoomMessagesAreUsed) {
  run_all(3, {{"coll_sm_memory", "1M"}, {"coll_sm_slot_size", "1M"}}, 4);
}

TEST(SharedMemoryCollectives, OnACommunicatorThatIsFreed) {
  run_all(3, {{"coll_sm_slot_size", "4K"}}, 5, true);
}

TEST(SharedMemoryCollectives, ByRulesSomeGoElsewhere) {
  run_all(2, {}, 6, false, Rules::in_force);
  run_all(4, {{"coll_sm_bcast_limit", "100"}, {"coll_sm_allreduce_limit", "0"}}, 7, false,
          Rules::in_force);
}

// The arena holds two segments at a time: this many communicators one after the other need what was
// given back.
TEST(SharedMemoryCollectives, MemoryIsGivenBack) {
  run_ranks(
      3,
      [](Instance& instance) {
        for (int i = 0; i < 200; ++i) {
          auto copy = duplicate(instance.world());
          ASSERT_TRUE(copy.ok()) << copy.status().text();
          Call call(barrier, **copy);
          Table& table = *(*copy)->collectives().value();
          ASSERT_FALSE(table.modules(barrier).empty());
          EXPECT_TRUE(table.modules(barrier).front()->run(call).ok()) << "communicator " << i;
          (*copy)->release();
          // All have given back before the next one is made.
          EXPECT_TRUE(
              instance.world().collectives().value()->run(Call(barrier, instance.world())).ok());
        }
      },
      {{"coll_sm_memory", "1280K"}, {"coll_sm_slot_size", "4K"}});
}

}  // namespace
}  // namespace tessera::coll::test
