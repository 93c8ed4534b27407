// SPDX-License-Identifier: BSD-3-Clause
// A rank that waits on the CPU of another one moves; its affinity stays.
#include "core/machine/cpu_spread.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "core/progress/progress.h"

namespace tessera {
namespace {

class CpuSpreading : public testing::Test {
 protected:
  CpuSpreading() {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
  }
  ~CpuSpreading() override { sched_setaffinity(0, sizeof before_, &before_); }

  void run_only_on(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  int some_cpu() const {
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before_)) ++cpu;
    return cpu;
  }
  std::int32_t said_by(std::uint32_t rank) const { return segment_->page(rank).cpu.load(); }

  cpu_set_t before_;
  std::shared_ptr<JobSegment> segment_ = JobSegment::create(3).value();
  const JobView lower_{segment_, 0};
  const JobView higher_{segment_, 1};
};

TEST_F(CpuSpreading, SaysWhereItIsUntilItSleeps) {
  run_only_on(some_cpu());
  CpuSpread spread(lower_);
  EXPECT_EQ(said_by(0), 0);
  spread.look();
  EXPECT_EQ(said_by(0), some_cpu() + 1);
  spread.leave();
  EXPECT_EQ(said_by(0), 0);
}

TEST_F(CpuSpreading, TheHigherRankMovesAndMayStillRunEverywhere) {
  if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "needs two CPUs";
  run_only_on(some_cpu());
  sched_setaffinity(0, sizeof before_, &before_);
  segment_->page(0).cpu = some_cpu() + 1;
  CpuSpread spread(higher_);
  spread.look();
  EXPECT_NE(said_by(1), 0);
  EXPECT_NE(said_by(1), said_by(0));
  cpu_set_t after;
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&after, &before_));
}

TEST_F(CpuSpreading, TheLowerRankStays) {
  run_only_on(some_cpu());
  segment_->page(1).cpu = some_cpu() + 1;
  CpuSpread spread(lower_);
  spread.look();
  EXPECT_EQ(said_by(0), some_cpu() + 1);
}

TEST_F(CpuSpreading, WhoMayRunOnOneCpuOnlyStays) {
  run_only_on(some_cpu());
  segment_->page(0).cpu = some_cpu() + 1;
  CpuSpread spread(higher_);
  spread.look();
  EXPECT_EQ(said_by(1), some_cpu() + 1);
  EXPECT_EQ(sched_getcpu(), some_cpu());
}

// Also where the engine has a lock, as with the progress agent.
TEST_F(CpuSpreading, AWaitThatYieldsLooks) {
  for (const bool locking : {false, true}) {
    AdaptiveProgress progress({1, ~0ull}, nullptr);
    CpuSpread spread(lower_);
    progress.keep_apart(spread);
    if (locking) progress.enable_lock();
    {
      const EngineGuard guard(progress);
      int asked = 0;
      progress.wait_until([&] { return said_by(0) != 0 || ++asked > 10'000; });
    }
    EXPECT_NE(said_by(0), 0);
    spread.leave();
  }
}

}  // namespace
}  // namespace tessera
