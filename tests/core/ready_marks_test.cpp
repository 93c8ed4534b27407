// SPDX-License-Identifier: BSD-3-Clause
// Marks of partitions: whatever their order and whoever sets them, each unit is returned once.
#include "core/request/ready_marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace tessera {
namespace {

constexpr int kPartitions = 300;
constexpr int kShift = 4;

std::vector<int> ascending() {
  std::vector<int> order(kPartitions);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Marks all, and checks that a unit comes with the last of its partitions and no other.
void round(ReadyMarks& marks, const std::vector<int>& order) {
  std::vector<int> missing(static_cast<std::size_t>(marks.units()));
  for (int unit = 0; unit < marks.units(); ++unit)
    missing[static_cast<std::size_t>(unit)] = marks.partitions_of(unit);
  marks.start(false);
  for (const int partition : order) {
    const int unit = partition >> kShift;
    const bool last = --missing[static_cast<std::size_t>(unit)] == 0;
    ASSERT_EQ(marks.mark(partition), last ? unit : ReadyMarks::kNone) << partition;
    ASSERT_EQ(marks.mark(partition), ReadyMarks::kAgain);
  }
}

TEST(ReadyMarks, AnyOrder) {
  ReadyMarks marks(kPartitions, kShift);
  EXPECT_EQ(marks.units(), 19);
  EXPECT_EQ(marks.partitions_of(18), 12);
  std::vector<int> order = ascending();
  round(marks, order);
  std::reverse(order.begin(), order.end());
  round(marks, order);
  std::stable_partition(order.begin(), order.end(), [](int p) { return p % 2 == 0; });
  round(marks, order);
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    round(marks, order);
  }
}

TEST(ReadyMarks, OnePartitionIsAUnit) {
  ReadyMarks marks(3, 0);
  for (int i = 0; i < 3; ++i) {
    marks.start(false);
    for (const int p : {2, 0, 1}) EXPECT_EQ(marks.mark(p), p);
  }
}

TEST(ReadyMarks, ASkippedRoundLeavesNothing) {
  ReadyMarks marks(8, 2);
  marks.start(true);
  EXPECT_EQ(marks.mark(1), ReadyMarks::kNone);
  marks.start(true);
  EXPECT_EQ(marks.mark(1), ReadyMarks::kNone);
  for (const int p : {0, 2}) EXPECT_EQ(marks.mark(p), ReadyMarks::kNone);
  EXPECT_EQ(marks.mark(3), 0);
}

// Neighbours belong to different threads, so that every unit is completed in a race.
TEST(ReadyMarks, Threads) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 300;
  ReadyMarks marks(kPartitions, kShift);
  for (int i = 0; i < kRounds; ++i) {
    marks.start(false);
    std::vector<std::vector<int>> returned(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int p = t; p < kPartitions; p += kThreads) {
          const int unit = marks.mark(p);
          if (unit >= 0) returned[static_cast<std::size_t>(t)].push_back(unit);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<int> all;
    for (const auto& part : returned) all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end());
    std::vector<int> wanted(static_cast<std::size_t>(marks.units()));
    std::iota(wanted.begin(), wanted.end(), 0);
    ASSERT_EQ(all, wanted) << "round " << i;
  }
}

}  // namespace
}  // namespace tessera
