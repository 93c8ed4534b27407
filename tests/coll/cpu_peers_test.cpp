// SPDX-License-Identifier: BSD-3-Clause
// Who shares a CPU and how far they have come; leaving a CPU that has more than its share.
#include "components/coll/sm/cpu_peers.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>

namespace tessera::coll::sm {
namespace {

class CpuPeersTest : public testing::Test {
 protected:
  CpuPeersTest() {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
    while (!CPU_ISSET(here_ - 1, &before_)) ++here_;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(here_ - 1, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~CpuPeersTest() override { release(); }

  void release() { sched_setaffinity(0, sizeof before_, &before_); }
  static constexpr std::uint32_t kSwitch = 1'000;  // ns
  CpuPeers peers_of(int rank, bool even = false) {
    return CpuPeers({reinterpret_cast<std::byte*>(states_.data()), sizeof(RankState),
                     static_cast<int>(states_.size())},
                    rank, even, kSwitch);
  }
  void place(int rank, std::int32_t cpu, Round waits) {
    states_[static_cast<std::size_t>(rank)].cpu = cpu;
    states_[static_cast<std::size_t>(rank)].waits = waits;
  }

  cpu_set_t before_;
  std::int32_t here_ = 1;  // number of the CPU + 1
  std::array<RankState, 4> states_{};
};

TEST_F(CpuPeersTest, SayWhereAndInWhichStepAProcessWaits) {
  CpuPeers peers = peers_of(2);
  peers.wait_in(7);
  EXPECT_EQ(states_[2].cpu, here_);
  EXPECT_EQ(states_[2].waits, 7u);
  EXPECT_EQ(states_[1].cpu, 0);
}

TEST_F(CpuPeersTest, OnlyPeersThatHaveComeLessFarAreBehind) {
  place(1, here_, 4);
  place(2, here_, 9);
  place(3, here_ + 1, 0);  // elsewhere
  CpuPeers peers = peers_of(0);
  peers.wait_in(5);
  EXPECT_TRUE(peers.behind(5));
  states_[1].waits = 5;
  EXPECT_FALSE(peers.behind(5));
  EXPECT_TRUE(peers.behind(6));
}

TEST_F(CpuPeersTest, KeepsItsTurnForAWhileWhereNobodyHereIsBehind) {
  place(1, here_, 5);
  CpuPeers peers = peers_of(0);
  peers.wait_in(5);
  int looks = 0;
  EXPECT_TRUE(peers.keep_turn(5, [&] { return ++looks == 3; }));
  EXPECT_FALSE(peers.keep_turn(5, [&] { return ++looks < 0; }));  // ends by itself
  EXPECT_GT(looks, 4);
  looks = 0;
  EXPECT_FALSE(peers.keep_turn(6, [&] { return ++looks != 0; }));  // process 1 is behind
  EXPECT_EQ(looks, 0);
}

TEST_F(CpuPeersTest, OnlyPeersOfThisCpuThatHaveNotLeftARoundAreInside) {
  place(1, here_, 0);
  place(2, here_ + 1, 0);  // elsewhere
  states_[1].read = 3;
  CpuPeers peers = peers_of(0);
  peers.wait_in(4);
  EXPECT_FALSE(peers.inside(3));
  EXPECT_TRUE(peers.inside(4));
  states_[1].read = 4;
  EXPECT_FALSE(peers.inside(4));
}

TEST_F(CpuPeersTest, WhoHasComeToThisCpuIsSeenBeforeLong) {
  CpuPeers peers = peers_of(0);
  peers.wait_in(1);
  EXPECT_FALSE(peers.behind(1));
  place(3, here_, 0);
  for (Round round = 2; round < 200; ++round) peers.wait_in(round);
  EXPECT_TRUE(peers.behind(199));
}

TEST_F(CpuPeersTest, TheLastOfThreeLeavesForAnEmptierCpuAndMayStillRunEverywhere) {
  if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "needs two CPUs";
  place(0, here_, 0);
  place(1, here_, 0);
  release();
  CpuPeers peers = peers_of(3, true);
  for (Round round = 1; round < 1000 && (states_[3].cpu == here_ || states_[3].cpu == 0); ++round)
    peers.wait_in(round);
  EXPECT_NE(states_[3].cpu, here_);
  cpu_set_t after;
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&after, &before_));
}

}  // namespace
}  // namespace tessera::coll::sm
