// SPDX-License-Identifier: BSD-3-Clause
// The cost model: values computed by hand, symmetry against simulation, growth.
#include "tools/schedules/price.h"

#include <gtest/gtest.h>

#include <bit>

namespace tessera::coll::schedules {
namespace {

using enum Operation;

constexpr int kMany = 1 << 20;  // representatives: no limit

constexpr double kLatency = 1000, kOverhead = 50, kGap = 30, kPerByte = 0.5;

Machine flat() {
  return {"flat", "", {{"all", 0, kLatency, kOverhead, kGap, kPerByte}}, {5, 0.1}, {7, 0.2}};
}
Machine nodes_of(int ranks) {
  Machine machine = flat();
  machine.levels.insert(machine.levels.begin(), {"node", ranks, 100, 20, 10, 0.1});
  return machine;
}

double simulated(Operation operation, const char* name, int ranks, Count bytes,
                 const Machine& machine) {
  return simulated_price(algorithm_of(operation, name),
                         Problem({.operation = operation, .ranks = ranks, .bytes = bytes}),
                         machine);
}

// From the start of a send to the end of the receive, with nothing in the way.
double message(Count bytes, const Level& level) {
  return level.overhead + static_cast<double>(bytes - 1) * level.gap_per_byte + level.latency +
         level.overhead;
}

TEST(Simulation, BinomialTreeIsAMessagePerRound) {
  const Machine machine = flat();
  for (const int rounds : {1, 2, 3, 4}) {
    EXPECT_DOUBLE_EQ(simulated(bcast, "binomial", 1 << rounds, 64, machine),
                     rounds * message(64, machine.levels[0]));
  }
}

TEST(Simulation, RingIsTwiceRoundWithReductionsOnTheFirst) {
  const Machine machine = flat();
  for (const int ranks : {2, 3, 8, 13}) {
    const Count piece = 64;
    const double each = message(piece, machine.levels[0]);
    EXPECT_NEAR(simulated(allreduce, "ring", ranks, piece * ranks, machine),
                2 * (ranks - 1) * each + (ranks - 1) * machine.reduce.of(piece), 1e-6);
  }
}

// The root sends to all: its port is busy for the bytes and the gap of each message.
TEST(Simulation, PortsTakeOneMessageAtATime) {
  const Machine machine = flat();
  const Count bytes = 1001;
  EXPECT_NEAR(simulated(bcast, "linear", 5, bytes, machine),
              message(bytes, machine.levels[0]) + 3 * (1000 * kPerByte + kGap), 1e-6);
}

TEST(Simulation, DistanceCounts) {
  const Machine machine = nodes_of(2);
  const double within = message(8, machine.levels[0]), between = message(8, machine.levels[1]);
  EXPECT_DOUBLE_EQ(simulated(bcast, "binomial", 4, 8, machine), between + within);
}

// A vector that all pieces divide.
Count even_bytes(int ranks) {
  return Count{8} * ranks * static_cast<Count>(std::bit_floor(static_cast<unsigned>(ranks)));
}

TEST(Symmetry, GivesWhatSimulationGives) {
  int symmetric = 0;
  for (const Machine& machine : {flat(), nodes_of(8)}) {
    for (const Algorithm* algorithm : basic::algorithms()) {
      for (int ranks = 2; ranks <= 64; ++ranks) {
        const Problem problem(
            {.operation = algorithm->operation, .ranks = ranks, .bytes = even_bytes(ranks)});
        if (!fits(*algorithm, problem)) continue;
        const auto price = symmetric_price(*algorithm, problem, machine, kMany);
        if (!price) continue;
        ++symmetric;
        EXPECT_NEAR(*price, simulated_price(*algorithm, problem, machine), 1e-6 * *price)
            << name(algorithm->operation) << " " << algorithm->name << ", " << ranks << " ranks, "
            << machine.levels.size();
      }
    }
  }
  EXPECT_GT(symmetric, 500);
}

TEST(Symmetry, IsFoundWhereItIs) {
  const auto kind = [](Operation operation, const char* which, int ranks, const Machine& machine) {
    const Problem problem({.operation = operation, .ranks = ranks, .bytes = even_bytes(ranks)});
    return find_symmetry(algorithm_of(operation, which), problem, machine, kMany).kind;
  };
  EXPECT_EQ(kind(allreduce, "ring", 100, flat()), Symmetry::Kind::rotation);
  EXPECT_EQ(kind(allreduce, "recursive_doubling", 64, flat()), Symmetry::Kind::exchange);
  EXPECT_EQ(kind(allreduce, "recursive_doubling", 64, nodes_of(8)), Symmetry::Kind::exchange);
  EXPECT_EQ(kind(allreduce, "recursive_doubling", 63, flat()), Symmetry::Kind::none);
  EXPECT_EQ(kind(allreduce, "ring", 100, nodes_of(8)),
            Symmetry::Kind::none);  // the last node is not full
  EXPECT_EQ(kind(bcast, "binomial", 64, flat()), Symmetry::Kind::none);
}

TEST(Price, UnevenPiecesMakeLittleDifference) {
  const Problem problem({.operation = allreduce, .ranks = 8, .bytes = 8 * 11});
  const Algorithm& ring = algorithm_of(allreduce, "ring");
  const double exact = simulated_price(ring, problem, flat());
  const auto symmetric = symmetric_price(ring, problem, flat(), kMany);
  ASSERT_TRUE(symmetric);
  EXPECT_NEAR(*symmetric / exact, 1, 0.01);
}

TEST(Price, GrowsWithRanksAndBytes) {
  Pricer pricer(nodes_of(16), 30'000);
  for (const char* which : {"recursive_doubling", "ring", "rabenseifner"}) {
    const Algorithm& algorithm = algorithm_of(allreduce, which);
    double before = 0;
    for (int ranks = 2; ranks <= 1 << 14; ranks *= 4) {
      const auto price =
          pricer.price(algorithm, {.operation = allreduce, .ranks = ranks, .bytes = 8});
      ASSERT_TRUE(price) << which << " " << ranks;
      EXPECT_GT(price->nanoseconds, before) << which << " " << ranks;
      before = price->nanoseconds;
    }
    before = 0;
    for (Count bytes = 1024; bytes <= 1 << 24; bytes *= 8) {
      const auto price =
          pricer.price(algorithm, {.operation = allreduce, .ranks = 32, .bytes = bytes});
      ASSERT_TRUE(price);
      EXPECT_GT(price->nanoseconds, before) << which << " " << bytes;
      before = price->nanoseconds;
    }
  }
}

// A ring takes time in proportion to p - 1, which the extrapolation finds; a tree in proportion to
// log p.
TEST(Price, ContinuesFromFewerRanks) {
  Pricer pricer(flat(), 3'000);
  const auto price = pricer.price(algorithm_of(allgather, "ring"),
                                  {.operation = allgather, .ranks = 1 << 16, .bytes = 8});
  ASSERT_TRUE(price);
  EXPECT_EQ(price->way, Way::extrapolated);
  EXPECT_NEAR(price->nanoseconds / (65535 * message(8, flat().levels[0])), 1, 0.01);
  const auto tree = pricer.price(algorithm_of(bcast, "binomial"),
                                 {.operation = bcast, .ranks = 1 << 16, .bytes = 8});
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->way, Way::extrapolated);
  EXPECT_NEAR(tree->nanoseconds / (16 * message(8, flat().levels[0])), 1, 0.01);
}

// Where the representatives of a rotation are too many, one rank may still stand for all.
TEST(Price, PowersOfTwoNeedOneRank) {
  const Algorithm& algorithm = algorithm_of(allreduce, "rabenseifner");
  const Question question{.operation = allreduce, .ranks = 1 << 11, .bytes = 1 << 16};
  const auto cheap = Pricer(nodes_of(1 << 9), 2'000).price(algorithm, question);
  ASSERT_TRUE(cheap);
  EXPECT_EQ(cheap->way, Way::symmetric);
  const auto dear = Pricer(nodes_of(1 << 9), 1e7).price(algorithm, question);
  ASSERT_TRUE(dear);
  EXPECT_EQ(dear->way, Way::simulated);
  EXPECT_NEAR(cheap->nanoseconds / dear->nanoseconds, 1, 0.01);
}

TEST(Price, BestIsTheCheapest) {
  Pricer pricer(flat());
  const Question question{.operation = allreduce, .ranks = 16, .bytes = 1 << 20};
  const Offer offer = pricer.best(question);
  ASSERT_NE(offer.algorithm, nullptr);
  for (const Algorithm* each : algorithms_of(allreduce)) {
    const auto price = pricer.price(*each, question);
    EXPECT_GE(price ? price->nanoseconds : 1e30, offer.price.nanoseconds) << each->name;
  }
}

}  // namespace
}  // namespace tessera::coll::schedules
