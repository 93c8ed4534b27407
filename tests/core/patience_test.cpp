// SPDX-License-Identifier: BSD-3-Clause
// How long a rank waits before it sleeps; a simulated clock.
#include "core/progress/patience.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr std::uint64_t kUsual = 60'000;

TEST(Patience, LastsAsUsualAfterLongSleeps) {
  Patience patience;
  EXPECT_EQ(patience.lasts(kUsual), kUsual);
  for (int i = 0; i < 5; ++i) patience.slept(kUsual, Patience::kShort * kUsual);
  EXPECT_EQ(patience.lasts(kUsual), kUsual);
}

TEST(Patience, GrowsWithSleepsThatSoonEndAndHasAnEnd) {
  Patience patience;
  for (const std::uint64_t times : {2, 4, 8, 8, 8}) {
    patience.slept(kUsual, kUsual);
    EXPECT_EQ(patience.lasts(kUsual), times * kUsual);
  }
  patience.slept(kUsual, 1'000'000);
  EXPECT_EQ(patience.lasts(kUsual), kUsual);
}

TEST(Patience, IsNotGivenUpWhereThePolicyHasNone) {
  Patience patience;
  patience.slept(0, 5);
  EXPECT_EQ(patience.lasts(0), 0u);
}

// Two ranks that answer each other at once, one of them asleep in the beginning, on processors that
// take `wake_ns` to run again. How many of `rounds` answers find their reader asleep.
int asleep(std::uint64_t wake_ns, int rounds, bool patient) {
  Patience patience[2];
  int found = 0;
  bool sleeps = true;
  for (int round = 0; round < rounds; ++round) {
    Patience& reader = patience[round % 2];
    // The other one wakes first if it sleeps, then answers; meanwhile the reader waits.
    const std::uint64_t answer_ns = sleeps ? wake_ns : 200;
    found += sleeps ? 1 : 0;
    const std::uint64_t waits_ns = patient ? reader.lasts(kUsual) : kUsual;
    sleeps = answer_ns > waits_ns;
    if (sleeps) reader.slept(kUsual, answer_ns - waits_ns + wake_ns);
  }
  return found;
}

TEST(Patience, EndsWhatWouldKeepTwoRanksAsleep) {
  EXPECT_EQ(asleep(50'000, 1000, false), 1);
  EXPECT_EQ(asleep(100'000, 1000, false), 1000);
  EXPECT_LE(asleep(100'000, 1000, true), 8);
}

}  // namespace
}  // namespace tessera
