// SPDX-License-Identifier: BSD-3-Clause
// The figures of the machine: measured, replaced by a parameter, the same for all processes, and
// defaults where nothing can be shared or measured.
#include <gtest/gtest.h>

#include <string>

#include "core/machine/figures.h"
#include "core/machine/names.h"
#include "tests/support/thread_world.h"

namespace tessera {
namespace {

bool equal(const MachineFigures& a, const MachineFigures& b) {
  for (const MachineFigure& figure : kMachineFigures) {
    if (a.*figure.value != b.*figure.value) return false;
  }
  return true;
}

TEST(MachineFigures, AreReplacedByName) {
  MachineFigures figures;
  ASSERT_TRUE(machine::replace("line_ns=7,split=4294967295", figures).ok());
  EXPECT_EQ(figures.line_ns, 7u);
  EXPECT_EQ(figures.split, 4294967295u);
  EXPECT_EQ(figures.single, MachineFigures{}.single);
  EXPECT_TRUE(machine::replace("", figures).ok());
}

TEST(MachineFigures, AWrongTextIsRefusedWithItsReasonAndChangesNothing) {
  for (const char* text : {"line=7", "line_ns", "line_ns=", "line_ns=0", "line_ns=-1", "line_ns=7x",
                           "line_ns=4294967296", ",", "=3", "line_ns=7,,split=1"}) {
    MachineFigures figures;
    const Status status = machine::replace(text, figures);
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_TRUE(equal(figures, MachineFigures{})) << text;
    EXPECT_NE(std::string(status.text()).find("machine_figures"), std::string::npos) << text;
  }
}

TEST(MachineFigures, WhatIsATimeSliceIsNoFigure) {
  const MachineFigures usual;
  MachineFigures found;
  found.stream = 4;
  found.line_ns = 63'800;
  found.wake_ns = usual.wake_ns * 16;
  found.copy_near = usual.copy_near / 16;
  found.split_call_ns = 1;
  found.second_level = 1;
  const MachineFigures kept = machine::plausible(found, usual);
  EXPECT_EQ(kept.stream, usual.stream);
  EXPECT_EQ(kept.line_ns, usual.line_ns);
  EXPECT_EQ(kept.split_call_ns, usual.split_call_ns);
  EXPECT_EQ(kept.wake_ns, found.wake_ns);
  EXPECT_EQ(kept.copy_near, found.copy_near);
  EXPECT_EQ(kept.second_level, 1u);
}

TEST(MachineFigures, WithoutAnotherProcessorTheOtherFiguresStay) {
  MachineFigures figures;
  cpu_set_t none;
  CPU_ZERO(&none);
  machine::measure(figures, none);
  EXPECT_EQ(figures.line_ns, MachineFigures{}.line_ns);
  EXPECT_EQ(figures.split, MachineFigures{}.split);
  EXPECT_GT(figures.copy_near, 0u);
}

TEST(MachineFigures, AreTheSameForAllProcessesAndNeverNothing) {
  MachineFigures of_rank[3];
  test::run_ranks(3, [&](Instance& instance) {
    of_rank[instance.world().rank()] = machine_figures(instance.world().job());
  });
  EXPECT_TRUE(equal(of_rank[0], of_rank[1]));
  EXPECT_TRUE(equal(of_rank[0], of_rank[2]));
  for (const MachineFigure& figure : kMachineFigures) {
    if (figure.name == "shared_cache") continue;
    EXPECT_GT(of_rank[0].*figure.value, 0u) << figure.name;
  }
}

TEST(MachineFigures, AParameterReplacesWhatWasMeasured) {
  MachineFigures found;
  test::run_ranks(2,
                  [&](Instance& instance) {
                    const MachineFigures figures = machine_figures(instance.world().job());
                    if (instance.world().rank() == 1) found = figures;
                  },
                  {{"machine_figures", "single=123,yield_ns=456"}});
  EXPECT_EQ(found.single, 123u);
  EXPECT_EQ(found.yield_ns, 456u);
}

TEST(MachineFigures, WhatIsGivenNeedsNoMeasurementAndIsEqualInAllProcesses) {
  MachineFigures given[2], measured[2];
  test::run_ranks(2,
                  [&](Instance& instance) {
                    const int rank = instance.world().rank();
                    given[rank] = given_figures(instance.world().job());
                    measured[rank] = machine_figures(instance.world().job());
                  },
                  {{"machine_figures", "line_ns=123,second_level=300000"}});
  EXPECT_TRUE(equal(given[0], given[1]));
  EXPECT_EQ(given[0].line_ns, 123u);
  EXPECT_EQ(given[0].second_level, 300000u);
  EXPECT_EQ(given[0].single, MachineFigures{}.single);
  EXPECT_EQ(measured[0].second_level, 300000u);
  EXPECT_EQ(measured[0].first_level, given[0].first_level);
}

// None of these could be measured anywhere.
TEST(MachineFigures, WhereAllAreGivenNothingIsMeasured) {
  std::string all;
  for (const MachineFigure& figure : kMachineFigures)
    all += (all.empty() ? "" : ",") + std::string(figure.name) + "=4000000000";
  MachineFigures found;
  test::run_ranks(2,
                  [&](Instance& instance) {
                    const MachineFigures figures = machine_figures(instance.world().job());
                    if (instance.world().rank() == 0) found = figures;
                  },
                  {{"machine_figures", all}});
  for (const MachineFigure& figure : kMachineFigures)
    EXPECT_EQ(found.*figure.value, 4'000'000'000u) << figure.name;
}

TEST(MachineFigures, WaitingMovesWithWhatAWakeUpTakesUnlessAParameterSaysMore) {
  const auto policy = [](const test::Settings& settings) {
    WaitPolicy found;
    test::run_ranks(
        1, [&](Instance& one) { found = wait_policy(one.params(), one.job(), 0); }, settings);
    return found;
  };
  EXPECT_EQ(policy({}).spin_ns, 20'000u);
  EXPECT_EQ(policy({}).yield_ns, 60'000u);
  const WaitPolicy slow = policy({{"machine_figures", "wake_ns=50000"}});
  EXPECT_EQ(slow.spin_ns, 40'000u);
  EXPECT_EQ(slow.yield_ns, 120'000u);
  const WaitPolicy chosen =
      policy({{"machine_figures", "wake_ns=50000"}, {"core_yield_time", "7"}});
  EXPECT_EQ(chosen.spin_ns, 40'000u);
  EXPECT_EQ(chosen.yield_ns, 7'000u);
}

}  // namespace
}  // namespace tessera
