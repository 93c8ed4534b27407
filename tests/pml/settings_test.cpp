// SPDX-License-Identifier: BSD-3-Clause
// The limits of ob1 follow the figures of the machine, unless a parameter names them.
#include "components/pml/ob1/settings.h"

#include <gtest/gtest.h>

#include "tests/contract/plugin.h"

namespace tessera::ob1 {

namespace {

constexpr std::uint64_t kKi = 1024;

contract::ManifestParams params(const char* split_threshold) {
  contract::ManifestParams made;
  made.declare("eager_limit", "size", "0");
  made.declare("split", "text", "measured");
  made.declare("split_threshold", "size", "32K");
  made.declare("trial_interval", "integer", "64");
  made.declare("explain", "boolean", "false");
  made.declare("check", "boolean", "false");
  made.declare("copy_piece", "size", "1M");
  made.declare("unexpected_limit", "size", "64M");
  if (*split_threshold != '\0') made.set("split_threshold", split_threshold);
  return made;
}

TEST(Ob1Settings, KeepWhatWasMeasuredWhereTheFiguresAreTheDefaultOnes) {
  const Settings settings = Settings::from(params(""), {});
  EXPECT_EQ(settings.split_threshold, 32 * kKi);
}

TEST(Ob1Settings, SplitSoonerWhereASecondCallCostsLess) {
  MachineFigures two_sockets;
  two_sockets.single_call_ns = 600, two_sockets.single = 16'000;
  two_sockets.split_call_ns = 800, two_sockets.split = 27'000;
  EXPECT_EQ(Settings::split_threshold_by(two_sockets), 8 * kKi);
}

TEST(Ob1Settings, SplitLaterWhereItGainsLittleAndHardlyWhereItGainsNothing) {
  MachineFigures little, nothing;
  little.split = 16'000;
  nothing.split = nothing.single;
  EXPECT_GT(Settings::split_threshold_by(little), 64 * kKi);
  EXPECT_EQ(Settings::split_threshold_by(nothing), 512 * kKi);
  nothing.split_call_ns = 1;
  EXPECT_EQ(Settings::split_threshold_by(nothing), 512 * kKi);
}

TEST(Ob1Settings, AParameterCountsMoreThanAFigure) {
  MachineFigures figures;
  figures.split = 16'000;
  EXPECT_EQ(Settings::from(params("48K"), figures).split_threshold, 48 * kKi);
}

}  // namespace

}  // namespace tessera::ob1
