// SPDX-License-Identifier: BSD-3-Clause
// coll/sm with blocks that differ in length: empty ones, at and around each place that a chunk
// has, and longer ones.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/coll/table.h"
#include "core/comm/communicator.h"
#include "core/datatype/make.h"
#include "core/datatype/predefined.h"
#include "tests/support/thread_world.h"

namespace tessera::coll::test {
namespace {

using enum Operation;
using tessera::test::run_ranks;
using tessera::test::Settings;

// Bytes that `from` has for `to` in a round; in place those of the pair.
Count amount(Operation operation, bool in_place, int round, int from, int to) {
  static constexpr Count kAmounts[] = {0,  8,   9,   64,  65,   1,    63,   48,   0,    49,
                                       47, 7,   66,  16,  24,   12,   32,   25,   104,  105,
                                       96, 200, 960, 961, 1000, 1100, 2000, 4096, 4097, 9000};
  if (operation == allgatherv) to = 0;
  if (in_place && operation == alltoallv && from > to) std::swap(from, to);
  return kAmounts[static_cast<std::size_t>(round + from + 2 * to) % std::size(kAmounts)];
}

std::byte data(int round, int from, int to, Count i) {
  return static_cast<std::byte>(97 * round + 31 * from + 17 * to + i);
}

// The blocks of one side, one after the other, each with a byte behind it that nobody touches.
struct Blocks {
  static constexpr std::byte kNone{0xa5};
  std::vector<Count> counts, places;
  std::vector<std::byte> memory;

  template <class AmountOf>
  Blocks(int number, AmountOf amount_of) {
    Count end = 0;
    for (int i = 0; i < number; ++i) {
      counts.push_back(amount_of(i));
      places.push_back(end);
      end += counts.back() + 1;
    }
    memory.assign(static_cast<std::size_t>(end), kNone);
  }
  int size() const { return static_cast<int>(counts.size()); }
  void fill(int block, int round, int from, int to) {
    for (Count i = 0; i < counts[static_cast<std::size_t>(block)]; ++i)
      memory[static_cast<std::size_t>(places[static_cast<std::size_t>(block)] + i)] =
          data(round, from, to, i);
  }
  Side side() {
    return {memory.data(), counts[0], &byte_type(), counts.data(), places.data(), nullptr};
  }
};

// One call of one process. `deals`: it has a block for each; `collects`: it gets one from each;
// else from or to the root.
void run_one(Table& table, Comm& comm, Operation operation, bool in_place, int round) {
  const int me = comm.rank(), root = round % comm.size();
  const bool rooted = operation == gatherv || operation == scatterv;
  const bool deals = operation == scatterv || operation == alltoallv,
             collects = operation != scatterv;
  const int to_me = operation == allgatherv ? 0 : me;
  const auto to = [&](int i) { return deals ? i : operation == gatherv ? root : 0; };
  const auto from = [&](int i) { return collects ? i : root; };
  Blocks out(deals ? comm.size() : 1,
             [&](int i) { return amount(operation, in_place, round, me, to(i)); });
  Blocks in(collects ? comm.size() : 1,
            [&](int i) { return amount(operation, in_place, round, from(i), to_me); });
  Blocks wanted = in;
  Call call(operation, comm);
  call.root = root;
  call.in_place = in_place && (!rooted || me == root);
  for (int i = 0; i < out.size(); ++i) out.fill(i, round, me, to(i));
  const bool untouched = rooted && (collects ? me != root : call.in_place);
  for (int i = 0; i < in.size(); ++i) {
    if (!untouched) wanted.fill(i, round, from(i), to_me);
    if (call.in_place && !untouched && (deals || i == me)) in.fill(i, round, me, deals ? i : to(0));
  }
  if (!call.in_place || !collects) call.send = out.side();
  if (!untouched) call.receive = in.side();
  const Status outcome = table.run(call);
  EXPECT_TRUE(outcome.ok()) << outcome.text();
  EXPECT_EQ(in.memory, wanted.memory)
      << name(operation) << (in_place ? " in place" : "") << ", round " << round;
}

// All operations in turn, with a barrier now and then, which is on the shared segment in any case.
void run_rounds(std::uint32_t size, Settings settings) {
  settings.emplace_back("btl", "self,sm");
  const auto body = [](Instance& instance) {
    Comm& comm = instance.world();
    Table& table = *comm.collectives().value();
    for (int round = 0; round < 30; ++round) {
      for (const Operation operation : {gatherv, scatterv, allgatherv, alltoallv}) {
        for (const bool in_place : {false, true}) run_one(table, comm, operation, in_place, round);
      }
      if (round % 5 == 0) {
        EXPECT_TRUE(table.run(Call(barrier, comm)).ok());
      }
    }
  };
  run_ranks(size, body, settings);
}

Settings limits(const char* bytes) {
  Settings all;
  for (const Operation operation : {gatherv, scatterv, allgatherv, alltoallv})
    all.emplace_back(std::string("coll_sm_") + name(operation) + "_limit", bytes);
  return all;
}

TEST(SharedMemoryBlocks, AsLongAsThereIsRoom) {
  for (const std::uint32_t size : {2, 3, 4, 8}) {
    Settings settings = limits("1G");
    settings.emplace_back("coll_sm_slot_size", "4K");
    run_rounds(size, settings);
  }
}

TEST(SharedMemoryBlocks, InALargePackage) {
  for (const std::uint32_t size : {2, 7}) run_rounds(size, limits("1G"));
}

TEST(SharedMemoryBlocks, UpToTheLimit) {
  for (const char* bytes : {"0", "48", "1000"}) run_rounds(4, limits(bytes));
}

// Short ones are shown, those of some length sent, longer ones copied; then all are copied.
Settings copied_from(const char* bytes, const char* shown) {
  Settings settings = limits(shown);
  settings.emplace_back("coll_sm_direct_limit", bytes);
  return settings;
}

TEST(SharedMemoryBlocks, FromOthersMemory) {
  for (const std::uint32_t size : {2, 3, 4, 8}) run_rounds(size, copied_from("960", "48"));
  for (const std::uint32_t size : {2, 5}) run_rounds(size, copied_from("1", "0"));
}

TEST(SharedMemoryBlocks, FromOthersMemoryWithSleepers) {
  Settings settings = copied_from("960", "48");
  settings.emplace_back("core_wait", "sleep");
  run_rounds(3, settings);
}

TEST(SharedMemoryBlocks, WithoutOthersMemory) {
  Settings settings = copied_from("1", "48");
  settings.emplace_back("coll_sm_direct", "false");
  run_rounds(4, settings);
}

// Every second int of an array.
const TypeObject& sparse_int() {
  static const TypeObject& type = []() -> TypeObject& {
    const auto vector = make_vector(1, 1, 2, *predefined_type(0x209), {});  // MPI_INT
    TypeObject& made = *make_resized(*vector.value(), 0, 8, {}).value();
    made.commit();
    return made;
  }();
  return type;
}

// Blocks of ints, close together or not.
class Ints {
 public:
  static constexpr Count kBlock = 300;  // ints
  Ints(int blocks, bool sparse)
      : blocks_(blocks),
        stride_(sparse ? 2 : 1),
        memory_(static_cast<std::size_t>(blocks * kBlock * stride_), -1) {}
  int& at(int block, int i) {
    return memory_[static_cast<std::size_t>((block * kBlock + i) * stride_)];
  }
  Side side() {
    const TypeObject* type = stride_ == 2 ? &sparse_int() : predefined_type(0x209);
    return {memory_.data(), kBlock, type, {}, {}, nullptr};
  }
  int blocks() const { return blocks_; }

 private:
  int blocks_;
  Count stride_;
  std::vector<int> memory_;
};

int value(int round, int from, int to, int i) {
  return ((round * 16 + from) * 16 + to) * 1024 + i;
}

void run_ints(Table& table, Comm& comm, Operation operation, int round) {
  const int me = comm.rank(), root = round % comm.size();
  const bool deals = operation == scatter || operation == alltoall, collects = operation != scatter;
  Ints out(deals ? comm.size() : 1, (round + me) % 2 == 0),
      in(collects ? comm.size() : 1, (round / 2 + me) % 3 == 0);
  for (int block = 0; block < out.blocks(); ++block) {
    for (int i = 0; i < Ints::kBlock; ++i)
      out.at(block, i) = value(round, me, deals ? block : 0, i);
  }
  Call call(operation, comm);
  call.root = root;
  call.send = out.side();
  call.receive = in.side();
  const Status outcome = table.run(call);
  EXPECT_TRUE(outcome.ok()) << outcome.text();
  if (operation == gather && me != root) return;
  for (int block = 0; block < in.blocks(); ++block) {
    for (int i = 0; i < Ints::kBlock; ++i)
      ASSERT_EQ(in.at(block, i), value(round, collects ? block : root, deals ? me : 0, i))
          << name(operation);
  }
}

TEST(SharedMemoryBlocks, FromOthersMemoryAsFarAsThereAreNoHoles) {
  const auto body = [](Instance& instance) {
    Comm& comm = instance.world();
    Table& table = *comm.collectives().value();
    for (int round = 0; round < 12; ++round) {
      for (const Operation operation : {gather, scatter, allgather, alltoall})
        run_ints(table, comm, operation, round);
    }
  };
  Settings settings{{"btl", "self,sm"}, {"coll_sm_direct_limit", "1"}};
  for (const Operation operation : {gather, scatter, allgather, alltoall})
    settings.emplace_back(std::string("coll_sm_") + name(operation) + "_limit", "1G");
  run_ranks(4, body, settings);
}

TEST(SharedMemoryBlocks, ByRules) {
  for (const std::uint32_t size : {2, 5}) run_rounds(size, {});
}

TEST(SharedMemoryBlocks, WithSleepers) {
  run_rounds(3, {{"core_wait", "sleep"}});
}

}  // namespace
}  // namespace tessera::coll::test
