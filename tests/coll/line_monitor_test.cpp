// SPDX-License-Identifier: BSD-3-Clause
// When coll/sm takes it that a cache line costs something else than before.
#include <gtest/gtest.h>

#include "components/coll/sm/recalibration.h"

namespace tessera::coll::sm::test {
namespace {

bool any_of(LineMonitor& monitor, std::initializer_list<std::uint64_t> loads) {
  bool any = false;
  for (const std::uint64_t ns : loads) any = monitor.add(ns) || any;
  return any;
}

TEST(LineMonitor, LoadsAsExpectedSayNothing) {
  LineMonitor monitor(60);
  EXPECT_FALSE(any_of(monitor, {60, 70, 40, 119, 31, 60, 100, 90}));
}

TEST(LineMonitor, ThreeDearLoadsRunningTell) {
  LineMonitor monitor(60);
  EXPECT_FALSE(any_of(monitor, {250, 250}));
  EXPECT_TRUE(monitor.add(120));
}

TEST(LineMonitor, ThreeCheapLoadsRunningTell) {
  LineMonitor monitor(250);
  EXPECT_FALSE(any_of(monitor, {60, 125}));
  EXPECT_TRUE(monitor.add(70));
}

TEST(LineMonitor, InterruptsDoNot) {
  LineMonitor monitor(60);
  EXPECT_FALSE(any_of(monitor, {5000, 5000, 60, 5000, 60, 5000, 5000, 60}));
}

TEST(LineMonitor, DearAndCheapDoNotAddUp) {
  LineMonitor monitor(100);
  EXPECT_FALSE(any_of(monitor, {250, 20, 250, 20, 250, 20}));
}

// As between processors that are farther apart than those that were measured.
TEST(LineMonitor, WhatWasAcceptedIsExpected) {
  LineMonitor monitor(60);
  EXPECT_TRUE(any_of(monitor, {250, 260, 240}));
  monitor.accept();
  EXPECT_FALSE(any_of(monitor, {250, 260, 240, 250}));
  EXPECT_TRUE(any_of(monitor, {60, 60, 60}));
}

// A measurement that others had asked for.
TEST(LineMonitor, WithoutLoadsTheExpectationStays) {
  LineMonitor monitor(60);
  monitor.accept();
  EXPECT_FALSE(any_of(monitor, {60, 60, 60, 60}));
}

TEST(Recalibrator, LongCallsBringTheNextReviewNearer) {
  EXPECT_EQ(Recalibrator::weight(0, 1), 1);
  EXPECT_EQ(Recalibrator::weight(1 << 20, 2), 66);
  EXPECT_EQ(Recalibrator::weight(0, 64), 64) << "of blocks whose lengths two processes know";
}

}  // namespace
}  // namespace tessera::coll::sm::test
