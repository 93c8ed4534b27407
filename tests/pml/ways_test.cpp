// SPDX-License-Identifier: BSD-3-Clause
// When a message is split: buffers that nobody has touched, senders that wait, collective
// operations.
#include "components/pml/ob1/new_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fake_network.h"

namespace tessera::ob1 {
namespace {

constexpr std::size_t kRegion = 1 << 20;
constexpr std::uint64_t kAskedEvery = 100;

class Region {
 public:
  Region()
      : memory_(
            mmap(nullptr, kRegion, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    madvise(memory_, kRegion, MADV_NOHUGEPAGE);
  }
  ~Region() { munmap(memory_, kRegion); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  std::byte* begin() const noexcept { return static_cast<std::byte*>(memory_); }
  void touch(std::size_t from, std::size_t to) const { std::memset(begin() + from, 1, to - from); }

 private:
  void* memory_;
};

TEST(NewPages, AreSeenInTheSecondHalf) {
  const Region region;
  EXPECT_TRUE(NewPages(kAskedEvery).expected(region.begin() + 5, kRegion - 5));
  region.touch(0, kRegion / 2);
  EXPECT_TRUE(NewPages(kAskedEvery).expected(region.begin() + 5, kRegion - 5));
  region.touch(kRegion / 2, kRegion);
  EXPECT_FALSE(NewPages(kAskedEvery).expected(region.begin() + 5, kRegion - 5));
  EXPECT_FALSE(NewPages(kAskedEvery).expected(region.begin() + kRegion - 1, 1));
}

TEST(NewPages, AreLookedForOncePerInterval) {
  const Region old, fresh;
  old.touch(0, kRegion);
  NewPages pages(kAskedEvery);
  EXPECT_FALSE(pages.expected(old.begin(), 1));
  EXPECT_FALSE(pages.expected(fresh.begin(), 60));
  EXPECT_TRUE(pages.expected(fresh.begin(), 60)) << "120 bytes since the last look";
  EXPECT_TRUE(pages.expected(old.begin(), 60));
  EXPECT_FALSE(pages.expected(old.begin(), 60));
}

TEST(NewPages, AreNotWhereNothingIsMapped) {
  const auto* const nowhere = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 20);
  EXPECT_FALSE(NewPages(kAskedEvery).expected(nowhere, 4));
}

class Halves : public testing::Test {
 protected:
  static test::Traits traits() {
    test::Traits traits;
    traits.get = traits.put = true;
    traits.settings.trial_interval = 1;
    return traits;
  }
  // An announcement comes alone, or with one packet for each piece that is written, or with one for
  // each 4 KiB.
  static bool is_split(std::size_t packets) { return packets > 1 && packets < 10; }
  bool split(const Region& into, bool blocking) { return is_split(packets(into, blocking)); }
  std::size_t packets(const Region& into, bool blocking, std::size_t bytes = kRegion) {
    const std::size_t before = world_.wire(0, 1).sent();
    Request* receive = world_[1].irecv(world_[1].from(0, 1, into.begin(), bytes));
    const pml::SendArgs args = world_[0].to(1, 1, data_.data(), bytes);
    if (blocking)
      EXPECT_TRUE(world_[0].module->send(args).ok());
    else
      EXPECT_TRUE(world_[0].wait(world_[0].isend(args)).error.ok());
    EXPECT_TRUE(world_[1].wait(receive).error.ok());
    EXPECT_TRUE(std::equal(into.begin(), into.begin() + bytes, data_.begin()));
    return world_.wire(0, 1).sent() - before;
  }

  test::World world_{2, traits()};
  const std::vector<std::byte> data_ = test::pattern(kRegion, 1);
};

TEST_F(Halves, AreForSendersThatWaitWherePagesAreNew) {
  EXPECT_FALSE(split(Region(), false));
  EXPECT_TRUE(split(Region(), true));
}

TEST_F(Halves, AreForAllWherePagesAreThere) {
  const Region old;
  old.touch(0, kRegion);
  EXPECT_TRUE(split(old, false));
  EXPECT_TRUE(split(old, true));
}

// All ways are tried for messages of the program, and all but halves in collective operations.
TEST_F(Halves, AreNotForCollectiveOperations) {
  constexpr int kTrials = 40;
  constexpr std::size_t kMiddling = 256 * 1024;  // longer ones are split there as well
  const Region old;
  old.touch(0, kRegion);
  for (const ContextId context : {42, 43}) {
    world_[0].context = world_[1].context = context;
    int read = 0, halves = 0, streamed = 0;
    for (int i = 0; i < kTrials; ++i) {
      const std::size_t count = packets(old, false, kMiddling);
      ++(count == 1 ? read : is_split(count) ? halves : streamed);
    }
    EXPECT_GT(streamed, 0);
    if (context == 42)
      EXPECT_GT(halves, 0);
    else
      EXPECT_EQ(halves, 0);
    EXPECT_EQ(read + halves + streamed, kTrials);
  }
}

// Two processes that send to each other: the one with the larger name does without trials what the
// other has found.
TEST_F(Halves, OfOneOrAnotherWayTheLargerNameTakesThatOfTheSmaller) {
  constexpr std::size_t kMiddling = 256 * 1024;
  const std::vector<std::byte> data = test::pattern(kMiddling, 1);
  const auto streamed = [&](test::World& world, int from, int messages) {
    int count = 0;
    for (int i = 0; i < messages; ++i) {
      std::vector<std::byte> into(kMiddling);
      const std::size_t before = world.wire(from, 1 - from).sent();
      Request* receive =
          world[1 - from].irecv(world[1 - from].from(from, 1, into.data(), kMiddling));
      Request* send = world[from].isend(world[from].to(1 - from, 1, data.data(), kMiddling));
      EXPECT_TRUE(world[from].wait(send).error.ok());
      EXPECT_TRUE(world[1 - from].wait(receive).error.ok());
      EXPECT_EQ(into, data);
      if (world.wire(from, 1 - from).sent() - before > 1) ++count;
    }
    return count;
  };
  for (const int first : {0, 1}) {
    test::World world(2, traits());
    world[0].context = world[1].context = 43;  // a collective operation
    streamed(world, 1 - first, 14);            // a trial of `first` ends in these
    const int answers = streamed(world, first, 40);
    if (first == 0)
      EXPECT_TRUE(answers == 0 || answers == 40) << answers;
    else
      EXPECT_TRUE(answers > 0 && answers < 40) << answers;
  }
}

// Messages shorter than those that are always read, and not shorter than those that may be.
class EitherWay : public testing::Test {
 protected:
  static constexpr std::size_t kTried = 100, kRead = 400;
  static test::Traits traits(ob1::Split split) {
    test::Traits traits;
    traits.get = true;
    traits.get_tried = kTried;
    traits.get_threshold = kRead;
    traits.settings.split = split;
    traits.settings.trial_interval = 1;
    return traits;
  }

  // How many of so many messages were read: the receiver says so.
  static std::size_t read(test::World& world, ContextId context, std::size_t bytes, int messages,
                          int from = 0) {
    const int to = 1 - from;
    test::Rank& sender = world[from];
    test::Rank& receiver = world[to];
    sender.context = receiver.context = context;
    const std::size_t before = world.wire(to, from).sent();
    for (int i = 0; i < messages; ++i) {
      const std::vector<std::byte> data = test::pattern(bytes, static_cast<std::uint64_t>(i));
      std::vector<std::byte> into(bytes);
      Request* receive = receiver.irecv(receiver.from(from, 1, into.data(), bytes));
      EXPECT_TRUE(sender.wait(sender.isend(sender.to(to, 1, data.data(), bytes))).error.ok());
      EXPECT_TRUE(receiver.wait(receive).error.ok());
      EXPECT_EQ(into, data);
    }
    return world.wire(to, from).sent() - before;
  }
};

TEST_F(EitherWay, GoMessagesOfCollectiveOperations) {
  test::World world(2, traits(Split::measured));
  const std::size_t some = read(world, 43, kRead - 1, 40);
  EXPECT_GT(some, 0u);
  EXPECT_LT(some, 40u);
  EXPECT_EQ(read(world, 43, kTried - 1, 40), 0u);
  EXPECT_EQ(read(world, 43, kRead, 40), 40u);
}

TEST_F(EitherWay, GoesNothingThatAProgramSends) {
  test::World world(2, traits(Split::measured));
  EXPECT_EQ(read(world, 42, kRead - 1, 40), 0u) << "a send that does not wait never does";
}

TEST_F(EitherWay, GoesNothingUnlessMeasured) {
  test::World world(2, traits(Split::automatic));
  EXPECT_EQ(read(world, 43, kRead - 1, 40), 0u);
}

TEST_F(EitherWay, AreAnsweredInKindByTheLargerName) {
  constexpr int kQuiet = 20, kTrial = 12;
  test::Traits with_few_trials = traits(Split::measured);
  with_few_trials.settings.trial_interval = kQuiet;
  for (const int first : {0, 1}) {
    test::World world(2, with_few_trials);
    const std::size_t tried = read(world, 43, kRead - 1, kQuiet + kTrial, first);
    EXPECT_GT(tried, 0u);
    const std::size_t answered = read(world, 43, kRead - 1, kQuiet / 2, 1 - first);
    EXPECT_EQ(answered, first == 0 ? std::min<std::size_t>(tried, 4) : 0);
  }
}

// Whoever waits for a message while it sends a longer one does not wait for the receiver's copy.
TEST(Crossing, IsSaidWhereAReceiveStands) {
  test::Traits traits;
  traits.get = true;
  traits.get_tried = 100;
  traits.get_threshold = 400;
  test::World world(2, traits);
  const std::vector<std::byte> data = test::pattern(101, 1);
  std::vector<std::byte> into(200), back(200);
  const auto send = [&](std::size_t bytes) {
    const std::size_t before = world.wire(0, 1).crossing();
    Request* receive = world[1].irecv(world[1].from(0, 1, into.data(), bytes));
    EXPECT_TRUE(world[0].wait(world[0].isend(world[0].to(1, 1, data.data(), bytes))).error.ok());
    EXPECT_TRUE(world[1].wait(receive).error.ok());
    return world.wire(0, 1).crossing() > before;
  };
  EXPECT_FALSE(send(101));
  Request* expected = world[0].irecv(world[0].from(1, 1, back.data(), 1));
  EXPECT_TRUE(send(101));
  EXPECT_FALSE(send(99)) << "of a short one nobody asks";
  EXPECT_TRUE(world[1].wait(world[1].isend(world[1].to(0, 1, data.data(), 1))).error.ok());
  EXPECT_TRUE(world[0].wait(expected).error.ok());
}

// A message that is here when its receive is posted is copied there and then, unless the caller has
// messages to send first, which the other process waits for.
TEST(Crossing, WhatIsHereWaitsForTheSendsThatFollow) {
  test::Traits traits;
  traits.get = true;
  const std::vector<std::byte> data = test::pattern(5000, 1);
  for (const bool sends_follow : {false, true}) {
    test::World world(2, traits);
    Request* from_zero = world[0].isend(world[0].to(1, 1, data.data(), data.size()));
    world.settle();
    std::vector<std::byte> into(data.size()), back(data.size());
    pml::RecvArgs args = world[1].from(0, 1, into.data(), into.size());
    args.sends_follow = sends_follow;
    Request* receive = world[1].irecv(args);
    EXPECT_EQ(into == data, !sends_follow);
    const std::size_t before = world.wire(1, 0).sent();
    Request* from_one = world[1].isend(world[1].to(0, 1, data.data(), data.size()));
    EXPECT_GT(world.wire(1, 0).sent(), before);
    Request* expected = world[0].irecv(world[0].from(1, 1, back.data(), back.size()));
    for (Request* request : {from_zero, expected}) EXPECT_TRUE(world[0].wait(request).error.ok());
    for (Request* request : {receive, from_one}) EXPECT_TRUE(world[1].wait(request).error.ok());
    EXPECT_EQ(into, data);
    EXPECT_EQ(back, data);
  }
}

}  // namespace
}  // namespace tessera::ob1
