// SPDX-License-Identifier: BSD-3-Clause
// Graphs made by hand: waits on windows.
#include <gtest/gtest.h>

#include <numeric>

#include "launcher/hang/verdict.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;
using Hold = ReportedHold::Kind;
using State = RankWait::State;
using Ranks = std::vector<std::uint32_t>;
constexpr std::uint64_t kGrid = 40;

KnownComm grid(std::uint32_t processes) {
  KnownComm window;
  window.context = kGrid;
  window.name = "grid";
  window.processes = processes;
  window.all_members = true;
  window.members.resize(processes);
  std::iota(window.members.begin(), window.members.end(), 0);
  window.flavor = 1;
  return window;
}

ReportedWait on(Kind kind, std::int32_t rank) {
  ReportedWait wait{};
  wait.kind = kind;
  wait.peer = wait.rank = rank;
  return wait;
}

RankWait waits(std::uint32_t processes, const char* function, std::vector<ReportedWait> all,
               std::vector<ReportedHold> holds = {}) {
  RankWait rank;
  rank.state = State::waits;
  rank.function = function;
  rank.waits = std::move(all);
  rank.holds = std::move(holds);
  rank.comms = {grid(processes)};
  return rank;
}

Ranks stuck(const std::vector<RankWait>& ranks) {
  const WaitGraph graph(ranks);
  Ranks all;
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (graph.is_stuck(i)) all.push_back(i);
  return all;
}

TEST(WindowWaits, ALockIsWaitedForAsLongAsAHolderIsStuck) {
  std::vector<RankWait> ranks{
      waits(4, "MPI_Recv", {on(Kind::receive, 1)}, {{Hold::shared_lock, 2, kGrid}}),
      waits(4, "MPI_Win_lock", {on(Kind::exclusive_lock, 2)}), RankWait{}, RankWait{}};
  EXPECT_EQ(stuck(ranks), (Ranks{0, 1})) << "ranks 2 and 3 work, and hold nothing that would help";
  ranks[3] = waits(4, "MPI_Recv", {on(Kind::receive, 2)}, {{Hold::shared_lock, 2, kGrid}});
  EXPECT_EQ(stuck(ranks), (Ranks{0, 1})) << "one stuck holder is enough";
  ranks[0].waits[0].rank = 2;
  EXPECT_TRUE(stuck(ranks).empty()) << "rank 2 works, and both holders wait for it";
}

TEST(WindowWaits, WhoHoldsWhatExcludesNothingIsNoHolder) {
  std::vector<RankWait> ranks{
      waits(3, "MPI_Recv", {on(Kind::receive, 1)}, {{Hold::shared_lock, 2, kGrid}}),
      waits(3, "MPI_Win_lock", {on(Kind::shared_lock, 2)}), RankWait{}};
  EXPECT_TRUE(stuck(ranks).empty()) << "rank 2, which works, may hold it";
  ranks[0].holds[0] = {Hold::exclusive_lock, 1, kGrid};
  EXPECT_TRUE(stuck(ranks).empty()) << "that is another rank's lock";
  ranks[0].holds[0] = {Hold::exclusive_lock, 2, kGrid + 2};
  EXPECT_TRUE(stuck(ranks).empty()) << "that is another window's lock";
  ranks[0].holds[0] = {Hold::exclusive_lock, 2, kGrid};
  EXPECT_EQ(stuck(ranks), (Ranks{0, 1}));
}

TEST(WindowWaits, LocksOfAll) {
  std::vector<RankWait> ranks{
      waits(3, "MPI_Recv", {on(Kind::receive, 1)}, {{Hold::shared_lock, kEveryRank, kGrid}}),
      waits(3, "MPI_Win_lock", {on(Kind::exclusive_lock, 2)}), RankWait{}};
  EXPECT_EQ(stuck(ranks), (Ranks{0, 1}));
  const WaitGraph graph(ranks);
  EXPECT_EQ(describe_waits(graph, 1, false),
            "in MPI_Win_lock, waiting for the exclusive lock of rank 2 on window \"grid\" (held by "
            "rank 0, MPI_Win_lock_all)");
  ranks[0].holds[0] = {Hold::exclusive_lock, 2, kGrid};
  ranks[1].waits[0] = on(Kind::shared_lock, -1);
  EXPECT_EQ(stuck(ranks), (Ranks{0, 1}));
  EXPECT_EQ(describe_waits(WaitGraph(ranks), 1, false),
            "in MPI_Win_lock, waiting for the shared lock of all ranks on window \"grid\" (held by "
            "rank 0, MPI_LOCK_EXCLUSIVE of rank 2)");
}

TEST(WindowWaits, TheLockOfTheOwnMemoryIsNoWaitForItself) {
  const std::vector<RankWait> ranks{
      waits(2, "MPI_Recv", {on(Kind::receive, 1)}, {{Hold::exclusive_lock, 1, kGrid}}),
      waits(2, "MPI_Win_lock", {on(Kind::exclusive_lock, 1)})};
  const auto verdict = judge(WaitGraph(ranks));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->knots[0].kind, Knot::Kind::cycle);
}

TEST(WindowWaits, OnlyThoseThatOweACompletionAreWaitedFor) {
  std::vector<RankWait> ranks{
      waits(3, "MPI_Win_wait", {on(Kind::completion, 1), on(Kind::completion, 2)}),
      waits(3, "MPI_Recv", {on(Kind::receive, 0)}), RankWait{}};
  EXPECT_TRUE(stuck(ranks).empty()) << "rank 1 has completed, rank 2 works";
  ranks[1].holds = {{Hold::exposure, 0, kGrid}};
  EXPECT_EQ(stuck(ranks), (Ranks{0, 1}));
  ranks[2] = waits(3, "MPI_Recv", {on(Kind::receive, 0)});
  EXPECT_EQ(describe_waits(WaitGraph(ranks), 0, false),
            "in MPI_Win_wait, waiting for MPI_Win_complete by rank 1 on window \"grid\"");
  ranks[2].holds = ranks[1].holds;
  EXPECT_EQ(describe_waits(WaitGraph(ranks), 0, false),
            "in MPI_Win_wait, waiting for MPI_Win_complete by ranks 1, 2 on window \"grid\"");
}

TEST(WindowWaits, WhoAnswersNeedsNoCall) {
  std::vector<RankWait> ranks{waits(2, "MPI_Win_flush", {on(Kind::answer, 1)}),
                              waits(2, "MPI_Recv", {on(Kind::receive, 0)})};
  EXPECT_TRUE(stuck(ranks).empty());
  ranks[1] = RankWait{};
  ranks[1].state = State::gone;
  EXPECT_EQ(stuck(ranks), (Ranks{0}));
}

TEST(WindowWaits, WhoIsInTheSameCallHasCome) {
  ReportedWait fence = on(Kind::arrival, -1);
  std::vector<RankWait> ranks{waits(3, "MPI_Win_fence", {fence}),
                              waits(3, "MPI_Win_fence", {fence}),
                              waits(3, "MPI_Recv", {on(Kind::receive, 1)})};
  EXPECT_EQ(describe_waits(WaitGraph(ranks), 0, false),
            "in MPI_Win_fence, waiting for rank 2 to come to MPI_Win_fence on window \"grid\"");
  ranks[2] = waits(3, "MPI_Win_free", {fence});
  EXPECT_EQ(WaitGraph(ranks).servers(0, ranks[0].waits[0]), (Ranks{2}));
  ranks[2] = RankWait{};
  EXPECT_TRUE(stuck(ranks).empty()) << "who works may come";
}

}  // namespace
}  // namespace tessera::launcher
