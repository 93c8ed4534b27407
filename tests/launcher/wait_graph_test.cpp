// SPDX-License-Identifier: BSD-3-Clause
// Graphs made by hand: who is stuck, who is not, and what the knot is.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "core/request/partitioned_numbers.h"
#include "launcher/hang/rank_waits.h"
#include "launcher/hang/verdict.h"
#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;
using State = RankWait::State;
using Ranks = std::vector<std::uint32_t>;

KnownComm world(std::uint32_t processes, std::uint64_t calls = 0) {
  KnownComm comm;
  comm.context = 2;
  comm.name = "MPI_COMM_WORLD";
  comm.calls = calls;
  comm.processes = processes;
  comm.all_members = true;
  comm.members.resize(processes);
  std::iota(comm.members.begin(), comm.members.end(), 0);
  return comm;
}

ReportedWait to(Kind kind, std::int32_t rank, std::int32_t tag = 0) {
  ReportedWait wait{};
  wait.kind = kind;
  wait.peer = wait.rank = rank;
  wait.tag = tag;
  return wait;
}

ReportedWait call(const char* operation, std::uint64_t number) {
  ReportedWait wait = to(Kind::collective, kAnySource);
  wait.number = number;
  std::strncpy(wait.operation, operation, sizeof wait.operation - 1);
  return wait;
}

RankWait waits(std::uint32_t processes, std::vector<ReportedWait> all,
               const char* function = "MPI_Wait") {
  RankWait rank;
  rank.state = State::waits;
  rank.function = function;
  rank.waits = std::move(all);
  rank.comms = {world(processes)};
  return rank;
}

RankWait in_call(std::uint32_t processes, const char* operation, std::uint64_t number) {
  RankWait rank = waits(processes, {call(operation, number)}, operation);
  rank.comms[0].calls = number;
  return rank;
}

RankWait gone() {
  RankWait rank;
  rank.state = State::gone;
  rank.standing = "has ended";
  return rank;
}

Ranks stuck(const WaitGraph& graph) {
  Ranks all;
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (graph.is_stuck(i)) all.push_back(i);
  return all;
}

TEST(WaitGraph, NobodyWaitsForever) {
  const std::vector<RankWait> ranks{RankWait{}, waits(2, {to(Kind::receive, 0)})};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty());
  EXPECT_FALSE(judge(WaitGraph(ranks)));
}

TEST(WaitGraph, TwoReceivesAreACycle) {
  const std::vector<RankWait> ranks{waits(2, {to(Kind::receive, 1)}),
                                    waits(2, {to(Kind::receive, 0)})};
  const WaitGraph graph(ranks);
  const auto verdict = judge(graph);
  ASSERT_TRUE(verdict);
  ASSERT_EQ(verdict->knots.size(), 1u);
  EXPECT_EQ(verdict->knots[0].kind, Knot::Kind::cycle);
  EXPECT_EQ(verdict->knots[0].ranks, (Ranks{0, 1}));
  EXPECT_NE(describe(*verdict, graph, 3).find("send first"), std::string::npos);
}

TEST(WaitGraph, RanksBehindAKnotAreToldApart) {
  const std::vector<RankWait> ranks{waits(4, {to(Kind::receive, 1)}),
                                    waits(4, {to(Kind::receive, 0)}),
                                    waits(4, {to(Kind::receive, 0)}), RankWait{}};
  const auto verdict = judge(WaitGraph(ranks));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->knots[0].ranks, (Ranks{0, 1}));
  EXPECT_EQ(verdict->behind, (Ranks{2}));
}

TEST(WaitGraph, TwoKnotsAreTwoCauses) {
  std::vector<RankWait> ranks;
  for (const std::int32_t other : {1, 0, 3, 2}) ranks.push_back(waits(4, {to(Kind::send, other)}));
  const auto verdict = judge(WaitGraph(ranks));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->knots.size(), 2u);
  EXPECT_TRUE(verdict->behind.empty());
}

// All of several things: one that cannot come is enough. One of several: one that can come is
// enough.
TEST(WaitGraph, AllAndAny) {
  std::vector<RankWait> ranks{waits(3, {to(Kind::receive, 1), to(Kind::receive, 2)}),
                              waits(3, {to(Kind::receive, 0)}), RankWait{}};
  EXPECT_EQ(stuck(WaitGraph(ranks)), (Ranks{0, 1}));
  ranks[0].any = true;
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty());
  ranks[2] = waits(3, {to(Kind::receive, 0)});
  EXPECT_EQ(stuck(WaitGraph(ranks)), (Ranks{0, 1, 2}));
}

// A rank goes on with any of its threads.
TEST(WaitGraph, EachThreadIsOneWayOn) {
  ReportedWait second = to(Kind::receive, 2);
  second.thread = 1;
  std::vector<RankWait> ranks{waits(3, {to(Kind::receive, 1), second}),
                              waits(3, {to(Kind::receive, 0)}), RankWait{}};
  ranks[0].further = {{"MPI_Recv", false}};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty());
  ranks[2] = waits(3, {to(Kind::receive, 0)});
  EXPECT_EQ(stuck(WaitGraph(ranks)), (Ranks{0, 1, 2}));
}

TEST(WaitGraph, AsleepOutsideIsACauseOfItsOwn) {
  std::vector<RankWait> ranks{RankWait{}, waits(2, {to(Kind::receive, 0)})};
  ranks[0].state = State::waits;
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty());
  ranks[0].outside = 2;
  const WaitGraph graph(ranks);
  const auto verdict = judge(graph);
  ASSERT_TRUE(verdict);
  ASSERT_EQ(verdict->knots.size(), 1u);
  EXPECT_EQ(verdict->knots[0].kind, Knot::Kind::outside);
  EXPECT_EQ(verdict->knots[0].ranks, (Ranks{0}));
  EXPECT_EQ(verdict->behind, (Ranks{1}));
  EXPECT_NE(describe(*verdict, graph, 3).find("rank 0 is outside MPI: 2 threads sleep"),
            std::string::npos);
}

TEST(WaitGraph, AWildcardNeedsOneThatWorks) {
  ReportedWait any = to(Kind::receive, kAnySource);
  any.rank = kNoRank;
  std::vector<RankWait> ranks{waits(3, {any}), waits(3, {to(Kind::receive, 0)}), RankWait{}};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty());
  ranks[2] = gone();
  EXPECT_EQ(stuck(WaitGraph(ranks)), (Ranks{0, 1}));
}

// A communicator whose members are not all known may be served by any rank of the job.
TEST(WaitGraph, UnknownMembersAreEverybody) {
  ReportedWait any = to(Kind::receive, kAnySource);
  any.rank = kNoRank;
  std::vector<RankWait> ranks{waits(2, {any}), waits(2, {to(Kind::receive, 0)}), RankWait{}};
  EXPECT_EQ(stuck(WaitGraph(ranks)), (Ranks{0, 1}));
  ranks[0].comms[0].all_members = false;
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty());
}

TEST(WaitGraph, WhatIsOnItsWayIsNoHang) {
  std::vector<RankWait> ranks{waits(2, {to(Kind::receive, 1, 5)}),
                              waits(2, {to(Kind::receive, 0)})};
  ranks[1].sends = {{1, 0, 5, 0, 2, 8}};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty()) << "rank 1 has sent it";
  ranks[1].sends[0].tag = 6;
  EXPECT_EQ(stuck(WaitGraph(ranks)), (Ranks{0, 1})) << "under another tag";
  ranks[0].waits[0].matched = 1;
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty()) << "it moves";
}

TEST(WaitGraph, PartitionsAreServedByTheirSenderAlone) {
  std::vector<RankWait> ranks{waits(3, {to(Kind::partitions, 1, 5)}),
                              waits(3, {to(Kind::receive, 0)}), RankWait{}};
  EXPECT_EQ(stuck(WaitGraph(ranks)), (Ranks{0, 1}));
  ranks[1].sends = {{unit_number(1), 0, 77, 0, 3, 8}};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty()) << "a unit of it may be on its way";
  ranks[1].sends.clear();
  ranks[0].arrived = {{announcement_number(1), 1, 5, 0, 3, 8}};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty()) << "it may have been announced";
  ranks[0].arrived = ranks[1].sends = {{1, 1, 5, 0, 3, 8}};
  ranks[1].sends[0].rank = 0;
  EXPECT_EQ(stuck(WaitGraph(ranks)), (Ranks{0, 1})) << "messages of a collective operation";
  ranks[0].arrived.clear();
  ranks[1].sends.clear();
  ranks[0].waits[0].matched = 1;
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty()) << "a unit moves";
  ranks[0].waits[0].matched = 0;
  ranks[1] = RankWait{};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty()) << "the sender works";
}

TEST(WaitGraph, PartitionsThatAreNotMarkedAreMarkedByNobodyElse) {
  const std::vector<RankWait> ranks{waits(2, {to(Kind::marks, 1, 5)}), RankWait{}};
  const WaitGraph graph(ranks);
  const auto verdict = judge(graph);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->knots[0].kind, Knot::Kind::itself);
  EXPECT_EQ(verdict->knots[0].ranks, (Ranks{0}));
  EXPECT_NE(describe(*verdict, graph, 3).find("call MPI_Pready for each"), std::string::npos);
}

TEST(WaitGraph, WhatIsNotUnderstoodIsNotJudged) {
  const std::vector<RankWait> ranks{waits(2, {to(Kind::unknown, kAnySource)}),
                                    waits(2, {to(Kind::receive, 0)})};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty());
}

TEST(WaitGraph, ARankThatIsGoneServesNobody) {
  const std::vector<RankWait> ranks{waits(2, {to(Kind::receive, 1)}), gone()};
  const WaitGraph graph(ranks);
  const auto verdict = judge(graph);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->knots[0].kind, Knot::Kind::gone);
  EXPECT_NE(describe(*verdict, graph, 3).find("rank 1 has ended"), std::string::npos);
}

TEST(WaitGraph, MissingInACollective) {
  const std::vector<RankWait> ranks{waits(3, {to(Kind::receive, 1)}), in_call(3, "barrier", 1),
                                    in_call(3, "barrier", 1)};
  const auto verdict = judge(WaitGraph(ranks));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->knots[0].kind, Knot::Kind::left_out);
  EXPECT_EQ(verdict->knots[0].ranks, (Ranks{0, 1}));
  EXPECT_EQ(verdict->behind, (Ranks{2}));
}

// One that is below in the tree does not wait for those that are not, and who has not come works.
TEST(WaitGraph, ACollectiveThatSomebodyMayServe) {
  const std::vector<RankWait> ranks{RankWait{}, in_call(3, "bcast", 1),
                                    waits(3, {to(Kind::receive, 1)})};
  EXPECT_TRUE(stuck(WaitGraph(ranks)).empty());
}

TEST(WaitGraph, DifferentCollectives) {
  std::vector<RankWait> ranks{in_call(2, "barrier", 4), in_call(2, "allreduce", 4)};
  const WaitGraph graph(ranks);
  const auto verdict = judge(graph);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->knots[0].kind, Knot::Kind::mismatch);
  EXPECT_NE(describe(*verdict, graph, 3).find("allreduce of rank 1"), std::string::npos);
}

TEST(WaitGraph, NearMissesHaveTheRightSource) {
  std::vector<RankWait> ranks{waits(2, {to(Kind::receive, 1, 8)}), in_call(2, "barrier", 1)};
  ranks[0].arrived = {{1, 1, 7, 0, 2, 4}, {1, 1, 0, 0, 3, 4}};
  const WaitGraph graph(ranks);
  const auto verdict = judge(graph);
  ASSERT_TRUE(verdict);
  ASSERT_EQ(verdict->near_misses.size(), 1u) << "messages inside collectives do not count";
  EXPECT_NE(describe(*verdict, graph, 3)
                .find("with tag 7 on MPI_COMM_WORLD (4 bytes), but rank 0 waits for tag 8"),
            std::string::npos);
}

TEST(WaitGraph, WhatNobodyReceivesAtTheEndIsNamed) {
  std::vector<RankWait> ranks(3, waits(3, {to(Kind::others, kAnySource)}, "MPI_Finalize"));
  const ReportedMessage message{0, 1, 5, 0, 2, 4096};
  ranks[0].sends = {message, {0, 1, 6, 1, 2, 8}, {0, 1, 7, 0, 3, 8}, {0, 9, 8, 0, 2, 8}};
  const auto verdict = judge(WaitGraph(ranks));
  ASSERT_TRUE(verdict);
  ASSERT_EQ(verdict->unreceived.size(), 1u);  // others are received, of a collective, of nobody
  EXPECT_EQ(verdict->unreceived[0].message.tag, 5);
  const std::string text = describe(*verdict, WaitGraph(ranks), 3);
  EXPECT_NE(text.find("rank 0 to rank 1 (tag 5, 4096 bytes, MPI_COMM_WORLD)"), std::string::npos);
  EXPECT_NE(text.find("the matching receive is missing"), std::string::npos);
  // A receiver that is in another call is told by what it waits for.
  ranks[1] = waits(3, {to(Kind::receive, 0, 4)}, "MPI_Recv");
  EXPECT_TRUE(judge(WaitGraph(ranks))->unreceived.empty());
}

// Rank 1 is in the very send, or in one that looks like an earlier one.
TEST(WaitGraph, ThePlaceOfASendIsKnownWhileItLasts) {
  std::vector<RankWait> ranks{waits(2, {to(Kind::receive, 1, 8)}, "MPI_Recv"),
                              waits(2, {to(Kind::send, 0, 7)}, "MPI_Send")};
  ranks[0].arrived = {{1, 1, 7, 0, 2, 4}};
  ranks[1].places = {"heat.c:81 (exchange)"};
  const auto place = [&ranks] {
    const WaitGraph graph(ranks);
    const auto verdict = judge(graph);
    return verdict ? sent_at(verdict->near_misses.at(0), graph) : "no verdict";
  };
  EXPECT_EQ(place(), "heat.c:81 (exchange)");
  ranks[0].arrived.push_back(ranks[0].arrived[0]);
  EXPECT_EQ(place(), "");
  ranks[0].arrived.pop_back();
  ranks[1].waits[0].tag = 9;
  EXPECT_EQ(place(), "");
  ranks[1].waits[0].tag = 7;
  ranks[1].function = "MPI_Wait";
  EXPECT_EQ(place(), "");
}

TEST(WaitGraph, AReportIsNotTrusted) {
  auto report = std::make_unique<WaitReport>();
  std::memset(report.get(), 0xff, sizeof *report);
  report->threads = 0;
  RankPage page{};
  page.state.store(RankState::initialised);
  std::vector<RankWait> ranks{full_wait(page, *report), waits(2, {to(Kind::receive, 0)})};
  const WaitGraph graph(ranks);
  if (const auto verdict = judge(graph)) {
    EXPECT_FALSE(as_json(*verdict, graph, 1).empty());
  }
  report->whole = 0;
  EXPECT_EQ(full_wait(page, *report).state, State::active);
  EXPECT_EQ(told_wait(page, *report).state, State::waits) << "people see it all the same";
}

TEST(WaitGraph, TheKnotOfALongChainIsFound) {
  constexpr std::uint32_t kRanks = 2000;
  std::vector<RankWait> ranks;
  for (std::uint32_t i = 0; i < kRanks; ++i)
    ranks.push_back(waits(2, {to(Kind::receive, static_cast<std::int32_t>(i == 0 ? 1 : i - 1))}));
  const auto verdict = judge(WaitGraph(ranks));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->knots[0].ranks, (Ranks{0, 1}));
  EXPECT_EQ(verdict->behind.size(), kRanks - 2);
}

}  // namespace
}  // namespace tessera::launcher
