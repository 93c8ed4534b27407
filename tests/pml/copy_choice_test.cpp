// SPDX-License-Identifier: BSD-3-Clause
// CopyChoice: learns which way is faster, keeps what is not clearly slower, tries seldom, adapts.
// No clock is read.
#include "components/pml/ob1/copy_choice.h"

#include <gtest/gtest.h>

#include <array>

namespace tessera::ob1 {
namespace {

constexpr std::uint64_t kBytes = 64 << 10;
constexpr std::uint32_t kInterval = 16;

// A machine on which each way takes the time given, and messages follow one another.
class Machine {
 public:
  explicit Machine(std::uint64_t read, std::uint64_t split, std::uint64_t stream)
      : ns{read, split, stream} {
    permitted.add(Way::read).add(Way::split).add(Way::stream);
  }
  Way pass(std::uint64_t bytes = kBytes) {
    const Turn turn = choice.next(bytes, Way::split, permitted);
    const std::uint64_t accepted = now;
    now += ns[static_cast<std::size_t>(turn.way)];
    timed += turn.trial != 0 ? 1 : 0;
    if (turn.trial != 0) choice.took(turn, accepted, now);
    return turn.way;
  }
  int pass_many(int messages, Way way) {
    int taken = 0;
    for (int i = 0; i < messages; ++i) taken += pass() == way ? 1 : 0;
    return taken;
  }
  Way incumbent() const { return choice.sampler(kBytes).incumbent(); }

  std::array<std::uint64_t, kWays> ns;
  WaySet permitted;
  CopyChoice choice{kInterval};
  std::uint64_t now = 1000;
  int timed = 0;
};

TEST(CopyChoice, BeginsWithWhatTheParametersSay) {
  Machine machine(100, 900, 900);
  EXPECT_EQ(machine.pass_many(kInterval - 1, Way::split), kInterval - 1);
  EXPECT_EQ(machine.timed, 0);
}

TEST(CopyChoice, TakesTheFastestWay) {
  Machine machine(100, 200, 300);
  machine.pass_many(500, Way::read);
  EXPECT_EQ(machine.incumbent(), Way::read);
  Machine other(300, 200, 100);
  other.pass_many(500, Way::stream);
  EXPECT_EQ(other.incumbent(), Way::stream);
}

TEST(CopyChoice, OneGoodTrialIsNotEnough) {
  Machine machine(100, 200, 1'000'000);
  while (machine.choice.sampler(kBytes).trials() == 0 ||
         machine.choice.sampler(kBytes).ns(Way::read) == 0)
    machine.pass();
  EXPECT_EQ(machine.incumbent(), Way::split);
}

TEST(CopyChoice, KeepsWhatIsHardlySlower) {
  Machine machine(95, 100, 95);
  machine.pass_many(5000, Way::split);
  EXPECT_GT(machine.choice.sampler(kBytes).trials(), 2u);
  EXPECT_EQ(machine.incumbent(), Way::split);
}

TEST(CopyChoice, TriesSeldomWhatLoses) {
  Machine machine(1000, 100, 1000);
  EXPECT_GE(machine.pass_many(10000, Way::split), 10000 - 100);
  EXPECT_LE(machine.timed, 300);
}

TEST(CopyChoice, NoticesThatTheMachineHasChanged) {
  Machine machine(1000, 100, 1000);
  machine.pass_many(10000, Way::split);
  machine.ns = {100, 1000, 1000};
  machine.pass_many(2000, Way::read);
  EXPECT_EQ(machine.incumbent(), Way::read);
}

TEST(CopyChoice, OneLongMessageDecidesNothing) {
  Machine machine(110, 100, 110);
  for (int i = 0; i < 3000; ++i) {
    const Turn turn = machine.choice.next(kBytes, Way::split, machine.permitted);
    const std::uint64_t accepted = machine.now;
    const bool disturbed = turn.way == Way::split && turn.trial != 0 && i % 7 == 0;
    machine.now += disturbed ? 1'000'000 : machine.ns[static_cast<std::size_t>(turn.way)];
    if (turn.trial != 0) machine.choice.took(turn, accepted, machine.now);
  }
  EXPECT_EQ(machine.incumbent(), Way::split);
}

TEST(CopyChoice, TakesOnlyWhatIsPermitted) {
  Machine machine(500, 200, 100);
  machine.permitted = WaySet().add(Way::read).add(Way::split);
  EXPECT_EQ(machine.pass_many(3000, Way::stream), 0);
  machine.permitted = WaySet().add(Way::split);
  EXPECT_EQ(machine.pass_many(3000, Way::split), 3000);
}

TEST(CopyChoice, SizesLearnApart) {
  Machine machine(100, 200, 300);
  machine.pass_many(500, Way::read);
  EXPECT_EQ(machine.pass(kBytes + 1), Way::read);
  EXPECT_EQ(machine.pass(2 * kBytes), Way::split);
  EXPECT_EQ(machine.pass(0), Way::split);
  EXPECT_EQ(machine.pass(~std::uint64_t{0}), Way::split);
}

TEST(CopyChoice, LateAnswersDoNotCount) {
  Machine machine(100, 200, 300);
  Turn late;
  while (late.trial == 0) late = machine.choice.next(kBytes, Way::split, machine.permitted);
  machine.choice.took(late, 0, 200);
  while (machine.choice.sampler(kBytes).trials() == 0) machine.pass();
  for (int i = 0; i < 100; ++i) machine.choice.took(late, 0, 1);
  EXPECT_EQ(machine.choice.sampler(kBytes).trials(), 1u);
}

TEST(CopyChoice, QueuedMessagesCountTheTimeSinceTheOneBefore) {
  CopyChoice choice(1);
  WaySet permitted;
  permitted.add(Way::read).add(Way::split);
  std::uint64_t now = 0;
  for (int i = 0; i < 200; ++i) {
    const Turn turn = choice.next(kBytes, Way::split, permitted);
    now += turn.way == Way::split ? 100 : 400;
    if (turn.trial != 0) choice.took(turn, 0, now);  // all were accepted at the beginning
  }
  EXPECT_EQ(choice.sampler(kBytes).incumbent(), Way::split);
  EXPECT_EQ(choice.sampler(kBytes).ns(Way::split), 100u);
}

TEST(CopyChoice, NoMessageCountsAsLessThanItsWork) {
  CopyChoice choice(1);
  WaySet permitted;
  permitted.add(Way::read).add(Way::stream);
  for (int i = 0; i < 60; ++i) {
    const Turn turn = choice.next(kBytes, Way::read, permitted);
    const std::uint64_t took = turn.way == Way::read ? 100 : 10;
    const auto now = static_cast<std::uint64_t>(1000 * (i + 1));
    if (turn.trial != 0) choice.took(turn, now, now + took, turn.way == Way::stream ? 95 : 0);
  }
  EXPECT_EQ(choice.sampler(kBytes).incumbent(), Way::read);
  EXPECT_EQ(choice.sampler(kBytes).ns(Way::stream), 95u);
}

TEST(CopyChoice, OtherMessagesAreNotCountedWhereTheyQueueToo) {
  CopyChoice choice(1);
  WaySet permitted;
  permitted.add(Way::read).add(Way::split);
  std::uint64_t now = 0;
  for (int i = 0; i < 60; ++i) {
    const Turn turn = choice.next(kBytes, Way::split, permitted);
    EXPECT_EQ(choice.trying(), turn.trial != 0);
    now += 900;
    choice.passed(now);  // another one, accepted before
    now += 100;
    if (turn.trial != 0) choice.took(turn, 0, now);
  }
  EXPECT_EQ(choice.sampler(kBytes).ns(Way::split), 100u);
}

TEST(CopyChoice, SaysWhatItFound) {
  Machine machine(2000, 4000, 6000);
  machine.pass_many(500, Way::read);
  std::string text;
  machine.choice.describe(text);
  EXPECT_NE(text.find("from 64 KiB: read"), std::string::npos) << text;
  EXPECT_NE(text.find("read 2.0 us; split 4.0 us"), std::string::npos) << text;
}

}  // namespace
}  // namespace tessera::ob1
