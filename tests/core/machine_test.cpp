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

}  // namespace
}  // namespace tessera
