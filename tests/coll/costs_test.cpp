// SPDX-License-Identifier: BSD-3-Clause
// The limits of coll/sm follow the figures of the machine: as measured on the machine of the
// default figures, and as the formulas say on three others.
#include "components/coll/sm/costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "components/coll/sm/division.h"
#include "components/coll/sm/plan.h"

namespace tessera::coll::sm {

namespace {

constexpr std::size_t kKi = 1024;

// Two processors with a slow line between them, and fast copies by the kernel.
MachineFigures two_sockets() {
  MachineFigures f;
  f.line_ns = 100, f.copy_far = 20'000, f.stream = 8'000;
  f.single_call_ns = 600, f.single = 16'000, f.split_call_ns = 800, f.split = 27'000;
  return f;
}
// Cores of one small chip: everything in one cache, slow system calls.
MachineFigures one_chip() {
  MachineFigures f;
  f.line_ns = 30, f.copy_near = 60'000, f.copy_far = 40'000, f.stream = 25'000;
  f.single_call_ns = 2'500, f.single = 14'000, f.split_call_ns = 4'000, f.split = 20'000;
  return f;
}
// A virtual machine on which a system call is dear and cores are far.
MachineFigures far_cores() {
  MachineFigures f;
  f.line_ns = 250, f.copy_far = 15'000, f.stream = 4'000;
  f.single_call_ns = 3'000, f.single = 9'000, f.split_call_ns = 4'000, f.split = 15'000;
  return f;
}

Plan planned(Operation operation, std::size_t bytes, const MachineFigures& f, int size = 2) {
  Question q;
  q.operation = operation;
  q.size = size;
  q.given = true;
  q.amount = static_cast<Count>(bytes);
  q.element = 8;
  q.slot = 32 * kKi;
  q.machine = f;
  return plan(q);
}

TEST(Costs, TheDefaultFiguresKeepWhatWasMeasured) {
  EXPECT_EQ(scaled(48 * kKi, {}), 48 * kKi);
  EXPECT_NEAR(static_cast<double>(direct_from({})), 14.0 * kKi, 2.0 * kKi);
}

TEST(Costs, FastCopiesBetweenSlowCachesLowerTheLimits) {
  EXPECT_LT(scaled(48 * kKi, two_sockets()), 32 * kKi);
  EXPECT_EQ(planned(Operation::scatter, 9 * kKi, two_sockets()).protocol, Protocol::direct_blocks);
  EXPECT_EQ(planned(Operation::scatter, 9 * kKi, {}).protocol, Protocol::chunks);
  EXPECT_EQ(planned(Operation::reduce, 256 * kKi, two_sockets()).protocol,
            Protocol::direct_reduction);
  EXPECT_EQ(planned(Operation::reduce, 16 * kKi, {}).protocol, Protocol::reduction);
}

TEST(Costs, WhatFitsAChunkGoesThroughTheSlotsWhateverACopyCosts) {
  MachineFigures fast = two_sockets();
  fast.single_call_ns = fast.split_call_ns = 1;
  for (const Operation operation :
       {Operation::bcast, Operation::gather, Operation::scatter, Operation::exscan}) {
    const Plan of_a_chunk = planned(operation, kOneWayChunk, fast);
    EXPECT_TRUE(of_a_chunk.protocol == Protocol::chunks ||
                of_a_chunk.protocol == Protocol::reduction);
    EXPECT_NE(planned(operation, 2 * kOneWayChunk, fast).protocol, of_a_chunk.protocol);
  }
}

// What it writes of a short one would have to come back from its cache.
TEST(Costs, TheRootOfAScatterCopiesAPartOfALongBlock) {
  MachineFigures f = two_sockets();
  f.second_level = 1 << 20;
  EXPECT_TRUE(planned(Operation::gather, 64 * kKi, f).split);
  EXPECT_FALSE(planned(Operation::scatter, 64 * kKi, f).split);
  EXPECT_TRUE(planned(Operation::scatter, 1 << 20, f).split);
  MachineFigures near = f;  // two of one cache, in which a copy by one is slow
  near.stream = 10'000, near.single = 9'000;
  EXPECT_TRUE(planned(Operation::scatter, 64 * kKi, near).split);
  near.split = near.single;
  EXPECT_FALSE(planned(Operation::scatter, 4 << 20, near).split);
}

TEST(Costs, BlocksOfOwnLengthsAreSplitAlike) {
  const MachineFigures f = two_sockets();
  const Plan gathers = planned(Operation::gatherv, 0, f);
  EXPECT_EQ(gathers.split_from, std::max(gathers.direct.least, split_copy_from(f)));
  EXPECT_EQ(planned(Operation::scatterv, 0, f).split_from, split_scatter_from(f));
  EXPECT_EQ(planned(Operation::gatherv, 0, f, 3).split_from, 0u);
  EXPECT_EQ(planned(Operation::alltoallv, 0, f).split_from, 0u);
}

TEST(Costs, WhereTheKernelIsSlowerThanACommonCacheNothingIsDirect) {
  EXPECT_GT(direct_from(one_chip()), std::size_t{1} << 40);
  EXPECT_EQ(planned(Operation::bcast, 4 << 20, one_chip()).protocol, Protocol::chunks);
  EXPECT_EQ(planned(Operation::reduce, 4 << 20, one_chip()).protocol, Protocol::reduction);
  EXPECT_EQ(planned(Operation::scatter, 64 * kKi, one_chip()).protocol, Protocol::chunks);
  EXPECT_EQ(planned(Operation::exscan, 64 * kKi, one_chip()).protocol, Protocol::reduction);
  for (const int size : {2, 4}) {
    for (const Operation operation : {Operation::allreduce, Operation::reduce_scatter}) {
      EXPECT_EQ(planned(operation, 4 << 20, one_chip(), size).protocol, Protocol::reduction);
      EXPECT_EQ(planned(operation, 4 << 20, {}, size).protocol, Protocol::direct_reduction);
    }
    const Protocol of_long = size == 2 ? Protocol::chunks : Protocol::none;
    for (const Operation operation : {Operation::allgather, Operation::alltoall}) {
      EXPECT_EQ(planned(operation, 16 * kKi, one_chip(), size).protocol, Protocol::chunks);
      EXPECT_EQ(planned(operation, 4 << 20, one_chip(), size).protocol, of_long);
      EXPECT_EQ(planned(operation, 4 << 20, {}, size).protocol, Protocol::direct_blocks);
    }
    const Plan unequal = planned(Operation::alltoallv, 4 << 20, one_chip(), size);
    EXPECT_GT(unequal.direct.least, unequal.direct.most) << "nothing is direct";
    EXPECT_EQ(unequal.in_slot > 4 << 20, size == 2) << "long blocks are messages";
  }
}

// Two processors whose lines are near: single 11.5 GB/s, and a stream of 12 to 22; far: of 4 to 7.
TEST(Costs, TwoThatExchangeReadDirectlyWhereLinesAreFar) {
  MachineFigures f;
  f.line_ns = 35, f.copy_far = 46'000, f.stream = 12'000;
  f.single_call_ns = 1'500, f.single = 11'500, f.split_call_ns = 1'700, f.split = 22'000;
  EXPECT_EQ(planned(Operation::reduce_scatter, 1 << 20, f).protocol, Protocol::reduction);
  EXPECT_EQ(planned(Operation::alltoall, 1 << 20, f).protocol, Protocol::chunks);
  f.stream = 10'000;
  EXPECT_TRUE(direct_exchange_pays(f));
  EXPECT_FALSE(direct_combining_pays(f)) << "which costs as much on either way";
  f.line_ns = 200, f.stream = 6'000;
  EXPECT_EQ(planned(Operation::reduce_scatter, 1 << 20, f).protocol, Protocol::direct_reduction);
  EXPECT_EQ(planned(Operation::alltoall, 64 * kKi, f).protocol, Protocol::direct_blocks);
}

TEST(Costs, DearCallsAreWorthItForLongDataOnly) {
  EXPECT_EQ(planned(Operation::bcast, 8 * kKi, far_cores()).protocol, Protocol::chunks);
  EXPECT_EQ(planned(Operation::bcast, 256 * kKi, far_cores()).protocol, Protocol::direct_bcast);
}

TEST(Costs, TheRootOfABcastCopiesAPartWhereThatIsFaster) {
  EXPECT_TRUE(planned(Operation::bcast, 1 << 20, two_sockets()).split);
  MachineFigures one_sided = two_sockets();
  one_sided.split = one_sided.single;
  EXPECT_FALSE(planned(Operation::bcast, 1 << 20, one_sided).split);
  EXPECT_EQ(planned(Operation::bcast, 1 << 20, one_sided).protocol, Protocol::direct_bcast);
}

TEST(Costs, MoreProcessesShareOneBcastToo) {
  const Plan many = planned(Operation::bcast, 4 << 20, two_sockets(), 8);
  EXPECT_EQ(many.protocol, Protocol::direct_bcast);
  EXPECT_TRUE(many.split);
}

TEST(Costs, AnAbsurdFigureMovesALimitOnlySoFar) {
  MachineFigures absurd;
  absurd.single_call_ns = 1;
  absurd.single = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(scaled(64 * kKi, absurd), 16 * kKi);
  absurd = {};
  absurd.single = 1;
  EXPECT_EQ(scaled(64 * kKi, absurd), 16 * 64 * kKi);
}

TEST(Costs, FiguresAreAskedForWithLongDataAndOwnProcessorsOnly) {
  Question q;
  q.operation = Operation::bcast;
  q.given = true;
  q.amount = kNeverDirect;
  EXPECT_FALSE(needs_figures(q));
  q.amount = kNeverDirect + 1;
  EXPECT_TRUE(needs_figures(q));
  q.oversubscribed = true;
  EXPECT_FALSE(needs_figures(q));
}

TEST(Division, TheRootHasTheLargestPartAndNothingIsLost) {
  for (const int parts : {2, 3, 5, 16}) {
    for (const Count elements : {Count{0}, Count{1}, Count{7}, Count{1000}, Count{1} << 40}) {
      for (int root = 0; root < parts; ++root) {
        EXPECT_EQ(first_towards(root, elements, parts, 0), 0);
        EXPECT_EQ(first_towards(root, elements, parts, parts), elements);
        for (int i = 0; i < parts; ++i)
          EXPECT_LE(first_towards(root, elements, parts, i),
                    first_towards(root, elements, parts, i + 1));
      }
    }
  }
  EXPECT_EQ(first_towards(0, 800, 2, 1), 500);
  EXPECT_EQ(first_towards(1, 800, 2, 1), 300);
}

}  // namespace

}  // namespace tessera::coll::sm
