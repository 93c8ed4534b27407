// SPDX-License-Identifier: BSD-3-Clause
// Who shares a CPU and how far they have come; leaving a CPU that has more than its share.
#include "components/coll/sm/seat.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>

namespace tessera::coll::sm {
namespace {

class Seats : public testing::Test {
 protected:
  Seats() {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
    while (!CPU_ISSET(here_ - 1, &before_)) ++here_;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(here_ - 1, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~Seats() override { release(); }

  void release() { sched_setaffinity(0, sizeof before_, &before_); }
  Mates mates_of(int rank, bool even = false) {
    return Mates({reinterpret_cast<std::byte*>(seats_.data()), sizeof(Seat),
                  static_cast<int>(seats_.size())},
                 rank, even);
  }
  void place(int rank, std::int32_t cpu, Step waits) {
    seats_[static_cast<std::size_t>(rank)].cpu = cpu;
    seats_[static_cast<std::size_t>(rank)].waits = waits;
  }

  cpu_set_t before_;
  std::int32_t here_ = 1;  // number of the CPU + 1
  std::array<Seat, 4> seats_{};
};

TEST_F(Seats, SayWhereAndInWhichStepAProcessWaits) {
  Mates mates = mates_of(2);
  mates.wait_in(7);
  EXPECT_EQ(seats_[2].cpu, here_);
  EXPECT_EQ(seats_[2].waits, 7u);
  EXPECT_EQ(seats_[1].cpu, 0);
}

TEST_F(Seats, OnlyMatesThatHaveComeLessFarAreBehind) {
  place(1, here_, 4);
  place(2, here_, 9);
  place(3, here_ + 1, 0);  // elsewhere
  Mates mates = mates_of(0);
  mates.wait_in(5);
  EXPECT_TRUE(mates.behind(5));
  seats_[1].waits = 5;
  EXPECT_FALSE(mates.behind(5));
  EXPECT_TRUE(mates.behind(6));
}

TEST_F(Seats, WhoHasComeToThisCpuIsSeenBeforeLong) {
  Mates mates = mates_of(0);
  mates.wait_in(1);
  EXPECT_FALSE(mates.behind(1));
  place(3, here_, 0);
  for (Step step = 2; step < 200; ++step) mates.wait_in(step);
  EXPECT_TRUE(mates.behind(199));
}

TEST_F(Seats, TheLastOfThreeLeavesForAnEmptierCpuAndMayStillRunEverywhere) {
  if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "needs two CPUs";
  place(0, here_, 0);
  place(1, here_, 0);
  release();
  Mates mates = mates_of(3, true);
  for (Step step = 1; step < 1000 && (seats_[3].cpu == here_ || seats_[3].cpu == 0); ++step)
    mates.wait_in(step);
  EXPECT_NE(seats_[3].cpu, here_);
  cpu_set_t after;
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&after, &before_));
}

}  // namespace
}  // namespace tessera::coll::sm
