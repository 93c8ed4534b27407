// SPDX-License-Identifier: BSD-3-Clause
// Flow control: floods of unexpected messages stay bounded, lose nothing and block nobody for ever.
#include <thread>

#include "transport_test.h"

namespace tessera::test {
namespace {

Traits small_window(std::uint64_t limit) {
  Traits traits;
  traits.settings.unexpected_limit = limit;
  traits.capacity = 64;
  traits.eager_limit = 2048;
  return traits;
}

// A million messages of 1 KiB, one after the other from one buffer each, never more than `live`
// requests at a time.
TEST(Flow, AMillionUnexpectedMessagesStayUnderTheCap) {
  const std::uint64_t limit = 1 << 20;
  World world(2, small_window(limit));
  constexpr int kMessages = 1'000'000;
  constexpr int kLive = 20'000;
  std::vector<std::byte> buffer(1024);
  std::vector<Request*> live;
  int received = 0;
  std::vector<std::byte> got(1024);
  for (int i = 0; i < kMessages; ++i) {
    live.push_back(world[0].isend(world[0].to(1, 7, buffer.data(), buffer.size())));
    if (live.size() < kLive) continue;
    world.settle();
    EXPECT_LE(world[1].module->buffers().peak(), limit);
    for (std::size_t k = 0; k < live.size(); ++k, ++received) {
      MessageStatus status;
      ASSERT_TRUE(world[1].module->recv(world[1].from(0, 7, got.data(), got.size()), status).ok());
      ASSERT_EQ(status.bytes, 1024u);
    }
    for (Request* send : live) ASSERT_TRUE(world[0].wait(send).error.ok());
    live.clear();
  }
  EXPECT_EQ(received, kMessages);
  EXPECT_EQ(world[1].module->buffers().in_use(), 0u);
}

// The receiver takes packets as fast as they come, but no message: only the window can stop the
// fast path.
TEST(Flow, TheFastPathKeepsToTheWindow) {
  const std::uint64_t limit = 64 << 10;
  World world(2, small_window(limit));
  std::vector<std::byte> buffer(1024);
  std::vector<Request*> sends;
  for (int i = 0; i < 1000; ++i) {
    sends.push_back(world[0].isend(world[0].to(1, 7, buffer.data(), buffer.size())));
    world[1].progress.poll();
  }
  EXPECT_LE(world[1].module->buffers().peak(), limit);
  for (Request* send : sends) {
    MessageStatus status;
    ASSERT_TRUE(
        world[1].module->recv(world[1].from(0, 7, buffer.data(), buffer.size()), status).ok());
    ASSERT_TRUE(world[0].wait(send).error.ok());
  }
}

TEST(Flow, ManySendersShareTheCap) {
  const std::uint64_t limit = 256 << 10;
  World world(5, small_window(limit));
  std::vector<std::byte> buffer(1000);
  std::vector<Request*> sends[5];
  for (int i = 0; i < 3000; ++i) {
    for (int rank = 1; rank < 5; ++rank) {
      sends[rank].push_back(
          world[rank].isend(world[rank].to(0, i, buffer.data(), i % 2 == 0 ? 1000 : 0)));
    }
  }
  world.settle();
  EXPECT_LE(world[0].module->buffers().peak(), limit);
  EXPECT_GT(world[0].module->buffers().peak(), limit / 4);
  for (int i = 0; i < 3000; ++i) {
    for (int rank = 4; rank >= 1; --rank) {
      MessageStatus status;
      ASSERT_TRUE(
          world[0].module->recv(world[0].from(rank, kAnyTag, buffer.data(), 1000), status).ok());
      ASSERT_EQ(status.tag, i);
    }
  }
  for (int rank = 1; rank < 5; ++rank) {
    for (Request* send : sends[rank]) ASSERT_TRUE(world[rank].wait(send).error.ok());
  }
}

// The message that is wanted lies behind more envelopes than the window lets through: waiting for
// it pulls them in.
TEST(Flow, AReceiveBehindTheWindowPullsItsMessage) {
  for (const bool post_first : {true, false}) {
    for (const int source : {0, kAnySource}) {
      World world(2, small_window(64 << 10));
      int filler = 1, wanted = 4711, got = 0;
      std::vector<Request*> sends;
      Request* receive = nullptr;
      if (post_first) receive = world[1].irecv(world[1].from(source, 99, &got, sizeof got));
      for (int i = 0; i < 10'000; ++i)
        sends.push_back(world[0].isend(world[0].to(1, 1, &filler, sizeof filler)));
      sends.push_back(world[0].isend(world[0].to(1, 99, &wanted, sizeof wanted)));
      world.settle();
      if (!post_first) {
        EXPECT_LE(world[1].module->buffers().peak(), 64u << 10);
        receive = world[1].irecv(world[1].from(source, 99, &got, sizeof got));
      }
      EXPECT_TRUE(world[1].wait(receive).error.ok());
      EXPECT_EQ(got, 4711);
      MessageStatus status;
      for (int i = 0; i < 10'000; ++i) {
        ASSERT_TRUE(world[1].module->recv(world[1].from(0, 1, &got, sizeof got), status).ok());
      }
      for (Request* send : sends) ASSERT_TRUE(world[0].wait(send).error.ok());
    }
  }
}

TEST(Flow, AProbeBehindTheWindowPullsItsMessage) {
  World world(2, small_window(64 << 10));
  int filler = 1;
  std::vector<Request*> sends;
  for (int i = 0; i < 5000; ++i)
    sends.push_back(world[0].isend(world[0].to(1, 1, &filler, sizeof filler)));
  sends.push_back(world[0].isend(world[0].to(1, 99, &filler, sizeof filler)));
  world.settle();
  MessageStatus status;
  bool found = false;
  for (int i = 0; i < 10'000 && !found; ++i) {
    found = world[1].module->iprobe(world[1].probing(0, 99), status).value();
    world.step();
  }
  EXPECT_TRUE(found);
  int got = 0;
  EXPECT_TRUE(world[1].module->recv(world[1].from(0, 99, &got, sizeof got), status).ok());
  for (int i = 0; i < 5000; ++i)
    ASSERT_TRUE(world[1].module->recv(world[1].from(0, 1, &got, sizeof got), status).ok());
  for (Request* send : sends) ASSERT_TRUE(world[0].wait(send).error.ok());
}

TEST(Flow, HeldSendsCanBeCancelled) {
  World world(2, small_window(8 << 10));
  int filler = 1;
  std::vector<Request*> sends;
  for (int i = 0; i < 500; ++i)
    sends.push_back(world[0].isend(world[0].to(1, 1, &filler, sizeof filler)));
  world.settle();
  for (int i = 499; i >= 0; --i) {
    sends[i]->cancel();
    EXPECT_TRUE(world[0].wait(sends[i]).cancelled) << i;
  }
  world.settle();
  EXPECT_EQ(world[0].progress.pollers(), 1u);
  EXPECT_EQ(world[1].module->buffers().in_use(), 0u);
  int got = 0;
  Request* send = world[0].isend(world[0].to(1, 1, &filler, sizeof filler));
  MessageStatus status;
  EXPECT_TRUE(world[1].module->recv(world[1].from(0, 1, &got, sizeof got), status).ok());
  world[0].wait(send);
}

// A stream in one direction, received as it comes: the credits that return let it stay eager for
// ever.
TEST(Flow, AReceivedStreamStaysEager) {
  World world(2, small_window(64 << 10));
  std::vector<std::byte> buffer(1024), got(1024);
  constexpr int kMessages = 5000;
  for (int i = 0; i < kMessages; ++i) {
    Request* receive = world[1].irecv(world[1].from(0, 1, got.data(), got.size()));
    Request* send = world[0].isend(world[0].to(1, 1, buffer.data(), buffer.size()));
    EXPECT_TRUE(world[1].wait(receive).error.ok());
    EXPECT_TRUE(world[0].wait(send).error.ok());
  }
  EXPECT_EQ(world.wire(0, 1).sent(), static_cast<std::size_t>(kMessages));
  EXPECT_LT(world.wire(1, 0).sent(), 1000u);
}

// And with blocking sends from a thread of its own, where nothing but the window ever stops the
// sender.
TEST(Flow, BlockingFloodBetweenThreads) {
  Traits traits = small_window(128 << 10);
  traits.threads = true;
  World world(2, traits);
  constexpr int kMessages = 20'000;
  std::thread sender([&] {
    std::vector<std::byte> buffer(1024);
    for (int i = 0; i < kMessages; ++i) {
      ASSERT_TRUE(world[0].module->send(world[0].to(1, 1, buffer.data(), buffer.size())).ok());
    }
    world[0].module->drain();
  });
  std::vector<std::byte> got(1024);
  for (int i = 0; i < kMessages; ++i) {
    MessageStatus status;
    ASSERT_TRUE(world[1].module->recv(world[1].from(0, 1, got.data(), got.size()), status).ok());
  }
  sender.join();
  EXPECT_LE(world[1].module->buffers().peak(), 128u << 10);
}

}  // namespace
}  // namespace tessera::test
