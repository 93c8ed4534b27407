// SPDX-License-Identifier: BSD-3-Clause
// Two hosts as two job segments of this process: what the ranks of one tell the judge on the other.
#include "launcher/hang/job_survey.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "core/job/segment.h"
#include "core/progress/wait_report.h"
#include "launcher/hang/hang_watch.h"
#include "launcher/hang/whereabouts.h"
#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

using State = RankWait::State;
constexpr std::int64_t kStart = 100'000;  // ms

std::shared_ptr<JobSegment> make_host(std::uint32_t node) {
  const std::uint32_t id = node;
  JobSegment::Options options;
  options.place = {2, {&id, 1}, node, 2};
  auto segment = JobSegment::create(1, options);
  EXPECT_TRUE(segment.ok()) << segment.status().text();
  return segment.ok() ? *segment : nullptr;
}

// Two ranks, one on each host, and what connects them.
class TwoHosts : public ::testing::Test {
 protected:
  void receives_from(std::uint32_t rank, std::int32_t other, std::int64_t since_ms = kStart) {
    Blocked blocked;
    std::strcpy(blocked.function, "MPI_Recv");
    blocked.since_ns = since_ms * 1'000'000;
    blocked.peer = blocked.peer_in_job = other;
    page(rank).state = RankState::initialised;
    page(rank).pid = getpid();
    page(rank).blocked.write(blocked);
  }

  // As a rank that waits does before it sleeps.
  void answer(std::uint32_t rank, std::int32_t other) {
    if (!page(rank).question.pending()) return;
    auto reports = wait_reports(*segments_[rank]);
    ASSERT_TRUE(reports.ok());
    WaitReport& report = (*reports)[0];
    report = WaitReport{};
    std::strcpy(report.function, "MPI_Recv");
    report.since_ns = page(rank).blocked.read().since_ns;
    report.standstill = standstill_;
    report.whole = 1;
    report.waits = 1;
    report.comms = 1;
    report.wait[0].kind = ReportedWait::Kind::receive;
    report.wait[0].peer = report.wait[0].rank = other;
    report.wait[0].tag = kAnyTag;
    std::strcpy(report.comm[0].name, "MPI_COMM_WORLD");
    page(rank).question.answered = page(rank).question.asked.load();
  }

  // Half a second at a time, both hosts look; ranks answer as `others` says.
  std::optional<HangWatch::Finding> run(int looks, std::int32_t of_0, std::int32_t of_1) {
    for (; looks > 0; --looks, now_ += 100) {
      reporter_.look(now_, true);
      answer(0, of_0);
      answer(1, of_1);
      reporter_.look(now_, true);
      if (auto finding = watch_.look(now_)) return finding;
    }
    return std::nullopt;
  }

  RankPage& page(std::uint32_t rank) { return segments_[rank]->page(0); }

  std::shared_ptr<JobSegment> segments_[2] = {make_host(0), make_host(1)};
  std::int64_t now_ = kStart;
  int told_ = 0;
  std::uint64_t standstill_ = 1;  // of both ranks
  JobSurvey survey_{HostSurvey(*segments_[0], 1), 2,
                    [this](std::uint32_t node, std::uint32_t question) {
                      EXPECT_EQ(node, 1u);
                      reporter_.asked(question, now_);
                    }};
  WaitReporter reporter_{HostSurvey(*segments_[1], 1),
                         [this](std::uint32_t question, const std::string& waits) {
                           ++told_;
                           survey_.told(1, question, waits);
                           return true;
                         },
                         kStart};
  HangWatch watch_{survey_, kStart};
};

TEST_F(TwoHosts, ACircleOverBothIsFound) {
  receives_from(0, 1);
  receives_from(1, 0);
  const auto finding = run(100, 1, 0);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->text.find("rank 0"), std::string::npos) << finding->text;
  EXPECT_NE(finding->text.find("rank 1"), std::string::npos) << finding->text;
}

TEST_F(TwoHosts, ARankThatWorksIsWaitedFor) {
  receives_from(0, 1);
  page(1).state = RankState::initialised;
  EXPECT_FALSE(run(100, 1, 0));
  EXPECT_EQ(told_, 0);  // silence while ranks work
}

TEST_F(TwoHosts, WhoGoesOnBetweenTheQuestionsIsNotStuck) {
  receives_from(0, 1);
  receives_from(1, 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(run(1, 1, 0));
    receives_from(1, 0, now_);  // a new call each time
  }
}

// A file that all read waits for one message after the other, in one call.
TEST_F(TwoHosts, WhoGoesOnWithinOneCallIsNotStuck) {
  receives_from(0, 1);
  receives_from(1, 0);
  for (int i = 0; i < 100; ++i, ++standstill_) EXPECT_FALSE(run(1, 1, 0));
  EXPECT_TRUE(run(100, 1, 0));
}

TEST_F(TwoHosts, WhoHasEndedElsewhereIsMissed) {
  receives_from(0, 1);
  page(1).state = RankState::finalized;
  const auto finding = run(100, 1, 0);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->text.find("has called MPI_Finalize"), std::string::npos) << finding->text;
}

TEST_F(TwoHosts, WhoDoesNotAnswerIsNotStuck) {
  receives_from(0, 1);
  receives_from(1, 0);
  for (int i = 0; i < 200; ++i, now_ += 100) {
    answer(0, 1);  // rank 1 is stopped, say
    reporter_.look(now_, true);
    EXPECT_FALSE(watch_.look(now_));
  }
}

TEST_F(TwoHosts, AConnectedHostTellsNothing) {
  receives_from(1, 0);
  for (int i = 0; i < 50; ++i, now_ += 100) reporter_.look(now_, false);
  EXPECT_EQ(told_, 0);
}

// Another process has asked as often as this one.
TEST_F(TwoHosts, TheAnswerToAnotherQuestionIsNone) {
  receives_from(0, 1);
  page(0).question.asked = page(0).question.answered = 1;
  HostSurvey survey(*segments_[0], 1);
  ASSERT_TRUE(survey.ask({0}));
  EXPECT_FALSE(survey.all_answered());
  answer(0, 1);
  EXPECT_TRUE(survey.all_answered());
  EXPECT_EQ(survey.answers(now_)[0].state, State::waits);
}

TEST_F(TwoHosts, WhereaboutsNameRanksOfTheJob) {
  receives_from(1, 0);
  const Whereabouts whereabouts(segments_[1], now_);
  EXPECT_FALSE(whereabouts.answered(now_));
  answer(1, 0);
  auto reports = wait_reports(*segments_[1]);
  ASSERT_TRUE(reports.ok());
  (*reports)[0].wait[0].kind = ReportedWait::Kind::collective;
  EXPECT_TRUE(whereabouts.answered(now_));
  const std::string text = whereabouts.text();
  EXPECT_EQ(text.find("  rank 1 (pid "), 0u) << text;
  EXPECT_NE(text.find("in MPI_Recv, waiting for rank 0 to come to"), std::string::npos) << text;
}

TEST_F(TwoHosts, WhoDoesNotAnswerIsShownByItsNote) {
  receives_from(1, 0);
  const Whereabouts whereabouts(segments_[1], now_);
  EXPECT_TRUE(whereabouts.answered(now_ + 1'000));
  EXPECT_NE(whereabouts.text().find("in MPI_Recv (peer 0"), std::string::npos);
}

TEST_F(TwoHosts, WhoHasGoneOnIsNotWaitedFor) {
  receives_from(1, 0);
  const Whereabouts whereabouts(segments_[1], now_);
  page(1).blocked.clear();
  EXPECT_TRUE(whereabouts.answered(now_));
  EXPECT_NE(whereabouts.text().find("running"), std::string::npos) << whereabouts.text();
}

HostWaits sample() {
  RankWait waits;
  waits.state = State::waits;
  waits.function = "MPI_Waitall";
  waits.since_ns = 5;
  waits.standstill = 11;
  waits.waits.resize(2);
  waits.further = {{"MPI_Send", true}};
  waits.outside = 3;
  waits.switches = "12:3;";
  waits.sends.resize(1);
  waits.holds = {{ReportedHold::Kind::shared_lock, 4, 40}};
  waits.comms.push_back({7, "twin", 3, 2, true, {0, 4}, 1});
  waits.callers = "a.out\t12\tmain\n";
  waits.sent_from.push_back({4, 7, 2, "a.out\t34\tmain\n", ""});
  RankWait gone;
  gone.state = State::gone;
  gone.standing = "has ended";
  return {{1, waits}, {4, gone}};
}

TEST(HostWaits, SurviveTheWay) {
  const HostWaits got = decode(encode(sample()), 5);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].first, 1u);
  EXPECT_EQ(got[0].second.function, "MPI_Waitall");
  EXPECT_EQ(got[0].second.standstill, 11u);
  EXPECT_EQ(got[0].second.waits.size(), 2u);
  ASSERT_EQ(got[0].second.further.size(), 1u);
  EXPECT_EQ(got[0].second.further[0].function, "MPI_Send");
  EXPECT_TRUE(got[0].second.further[0].any);
  EXPECT_EQ(got[0].second.outside, 3u);
  EXPECT_EQ(got[0].second.switches, "12:3;");
  ASSERT_EQ(got[0].second.holds.size(), 1u);
  EXPECT_EQ(got[0].second.holds[0].rank, 4);
  EXPECT_EQ(got[0].second.holds[0].window, 40u);
  EXPECT_EQ(got[0].second.comms[0].flavor, 1u);
  EXPECT_EQ(got[0].second.comms[0].members, (std::vector<std::uint32_t>{0, 4}));
  EXPECT_EQ(got[0].second.callers, "a.out\t12\tmain\n");
  EXPECT_EQ(got[0].second.sent_from.at(0).caller, "a.out\t34\tmain\n");
  EXPECT_EQ(got[1].second.standing, "has ended");
}

TEST(HostWaits, DamagedOnesAreEmpty) {
  const std::string bytes = encode(sample());
  EXPECT_TRUE(decode(bytes, 4).empty());  // there is no rank 4
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(decode(bytes.substr(0, size), 5).empty()) << size;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string wrong = bytes;
    wrong[i] = static_cast<char>(~wrong[i]);
    for (const auto& [rank, wait] : decode(wrong, 5)) EXPECT_LT(rank, 5u);
  }
}

}  // namespace
}  // namespace tessera::launcher
