// SPDX-License-Identifier: BSD-3-Clause
// Requests: cancellation, persistence, giving up the handle, continuations, matched probes.
#include "transport_test.h"

namespace tessera::test {
namespace {

class Requests : public testing::TestWithParam<Traits> {};

using pml::Mode;

TEST_P(Requests, CancelledReceiveLeavesTheMessageToTheNext) {
  World world(2, GetParam());
  int got = 0, other = 0;
  for (const int source : {0, kAnySource}) {
    Request* receive = world[1].irecv(world[1].from(source, 1, &got, sizeof got));
    receive->cancel();
    const MessageStatus status = world[1].wait(receive);
    EXPECT_TRUE(status.cancelled);
    EXPECT_TRUE(status.error.ok());
    const int x = 12;
    Request* send = world[0].isend(world[0].to(1, 1, &x, sizeof x));
    MessageStatus heard;
    EXPECT_TRUE(world[1].module->recv(world[1].from(0, 1, &other, sizeof other), heard).ok());
    EXPECT_EQ(other, 12);
    EXPECT_EQ(got, 0);
    world[0].wait(send);
  }
}

TEST_P(Requests, MatchedReceiveIsNotCancelled) {
  World world(2, GetParam());
  const auto data = pattern(9000, 1);
  std::vector<std::byte> got(9000);
  Request* receive = world[1].irecv(world[1].from(0, 1, got.data(), got.size()));
  Request* send = world[0].isend(world[0].to(1, 1, data.data(), data.size()));
  while (!receive->complete()) {
    if (world[1].module->buffers().in_use() == 0 && send->complete()) receive->cancel();
    world.step();
  }
  receive->cancel();
  EXPECT_FALSE(world[1].wait(receive).cancelled);
  EXPECT_EQ(got, data);
  EXPECT_FALSE(world[0].wait(send).cancelled);
}

TEST_P(Requests, UnmatchedSendsAreCancelledOnce) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    for (const Mode mode : {Mode::standard, Mode::synchronous}) {
      const auto keep = pattern(n, 1), drop = pattern(n, 2);
      std::vector<std::byte> got(n);
      Request* first = world[0].isend(world[0].to(1, 1, keep.data(), n, mode));
      Request* second = world[0].isend(world[0].to(1, 1, drop.data(), n, mode));
      Request* third = world[0].isend(world[0].to(1, 1, keep.data(), n, mode));
      world.settle();
      second->cancel();
      EXPECT_TRUE(world[0].wait(second).cancelled) << n;
      for (Request* send : {first, third}) {
        MessageStatus status;
        EXPECT_TRUE(world[1].module->recv(world[1].from(0, 1, got.data(), n), status).ok());
        EXPECT_EQ(got, keep);
        EXPECT_FALSE(world[0].wait(send).cancelled);
      }
      MessageStatus status;
      EXPECT_FALSE(world[1].module->iprobe(world[1].probing(kAnySource, kAnyTag), status).value());
    }
  }
}

TEST_P(Requests, MatchedSendsAreNotCancelled) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    const auto data = pattern(n, 1);
    std::vector<std::byte> got(n);
    Request* receive = world[1].irecv(world[1].from(0, 1, got.data(), n));
    Request* send = world[0].isend(world[0].to(1, 1, data.data(), n));
    world.step();
    send->cancel();
    const bool cancelled = world[0].wait(send).cancelled;
    if (cancelled) receive->cancel();
    EXPECT_EQ(world[1].wait(receive).cancelled, cancelled);
    if (!cancelled) {
      EXPECT_EQ(got, data);
    }
  }
}

// Cancelling at every moment of the transfer: the message is received or cancelled, never both,
// never neither.
TEST_P(Requests, CancelRacesWithTheMatch) {
  for (const std::size_t n : {8u, 30'000u}) {
    for (int moment = 0; moment < 14; ++moment) {
      World world(2, GetParam(), 100u + static_cast<unsigned>(moment));
      const auto data = pattern(n, 1);
      std::vector<std::byte> got(n);
      Request* send = world[0].isend(world[0].to(1, 1, data.data(), n, Mode::synchronous));
      Request* receive = nullptr;
      for (int i = 0; i < moment; ++i) {
        if (i == 5) receive = world[1].irecv(world[1].from(0, 1, got.data(), n));
        world.step();
      }
      send->cancel();
      if (receive == nullptr) receive = world[1].irecv(world[1].from(0, 1, got.data(), n));
      const bool cancelled = world[0].wait(send).cancelled;
      world.settle();
      EXPECT_EQ(receive->complete(), !cancelled);
      receive->cancel();
      EXPECT_EQ(world[1].wait(receive).cancelled, cancelled);
      if (!cancelled) {
        EXPECT_EQ(got, data);
      }
    }
  }
}

TEST_P(Requests, PersistentRequestsStartAgain) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    std::vector<std::byte> out(n), in(n);
    Request* send = world[0].module->send_init(world[0].to(1, 1, out.data(), n)).value();
    Request* receive =
        world[1].module->recv_init(world[1].from(kAnySource, 1, in.data(), n)).value();
    EXPECT_FALSE(send->active());
    EXPECT_TRUE(send->complete());
    EXPECT_TRUE(send->persistent());
    for (int round = 0; round < 3; ++round) {
      const auto data = pattern(n, static_cast<std::uint32_t>(round));
      std::copy(data.begin(), data.end(), out.begin());
      EXPECT_TRUE((round == 1 ? receive : send)->start().ok());
      EXPECT_TRUE((round == 1 ? send : receive)->start().ok());
      EXPECT_TRUE(receive->active());
      EXPECT_EQ(world[1].wait(receive).bytes, n);
      EXPECT_TRUE(world[0].wait(send).error.ok());
      EXPECT_EQ(in, out);
    }
    EXPECT_TRUE(receive->start().ok());
    receive->cancel();
    EXPECT_TRUE(world[1].wait(receive).cancelled);
    send->free();
    receive->free();
  }
}

TEST_P(Requests, FreedActiveRequestsCompleteByThemselves) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    const auto data = pattern(n, 3);
    std::vector<std::byte> got(n);
    Request* receive = world[1].irecv(world[1].from(0, 1, got.data(), n));
    receive->free();
    world[0].isend(world[0].to(1, 1, data.data(), n))->free();
    world[0].module->drain();
    world.settle();
    EXPECT_EQ(got, data);
    Request* persistent =
        world[0].module->send_init(world[0].to(1, 1, data.data(), n, Mode::synchronous)).value();
    EXPECT_TRUE(persistent->start().ok());
    persistent->free();
    std::vector<std::byte> again(n);
    MessageStatus status;
    EXPECT_TRUE(world[1].module->recv(world[1].from(0, 1, again.data(), n), status).ok());
    EXPECT_EQ(again, data);
  }
}

// A chain of messages driven by continuations alone: each completion posts the next receive and
// sends the next message.
struct Chain {
  Rank& rank;
  int peer;
  int left;
  std::size_t n;
  std::deque<std::vector<std::byte>> out;
  std::vector<std::byte> in;
  bool failed = false;

  void next() {
    out.push_back(pattern(n, static_cast<std::uint32_t>(left)));
    Request* receive = rank.irecv(rank.from(peer, left, in.data(), n));
    Request* send = rank.isend(rank.to(peer, left, out.back().data(), n));
    if (send->complete()) {
      send->free();
    } else {
      send->then([](Request& r, void*) noexcept { r.free(); }, nullptr);
    }
    if (receive->complete()) return received(*receive);
    receive->then([](Request& r, void* self) noexcept { static_cast<Chain*>(self)->received(r); },
                  this);
  }
  void received(Request& receive) {
    failed = failed || !receive.status().error.ok() || receive.status().bytes != n;
    receive.free();
    if (--left > 0) next();
  }
};

TEST_P(Requests, ContinuationsStartFurtherOperations) {
  for (const std::size_t n : {8u, 5000u}) {
    for (const int size : {1, 2}) {
      World world(size, GetParam());
      std::vector<std::unique_ptr<Chain>> chains;
      for (int i = 0; i < size; ++i) {
        chains.push_back(std::make_unique<Chain>(
            Chain{world[i], size - 1 - i, 50, n, {}, std::vector<std::byte>(n)}));
      }
      for (auto& chain : chains) chain->next();
      world[0].progress.wait_until([&] {
        return std::all_of(chains.begin(), chains.end(),
                           [](const auto& chain) { return chain->left == 0; });
      });
      world.settle();
      for (auto& chain : chains) EXPECT_FALSE(chain->failed);
      for (int i = 0; i < size; ++i) world[i].module->drain();
    }
  }
}

TEST_P(Requests, ProbesSeeWhatAReceiveWouldGet) {
  World world(3, GetParam());
  for (const std::size_t n : kSizes) {
    const auto data = pattern(n, 3);
    MessageStatus status;
    EXPECT_FALSE(world[1].module->iprobe(world[1].probing(0, 1), status).value());
    Request* sends[] = {world[0].isend(world[0].to(1, 1, data.data(), n)),
                        world[0].isend(world[0].to(1, 2, data.data(), n / 2)),
                        world[2].isend(world[2].to(1, 2, data.data(), n / 3))};
    world.settle();
    struct Case {
      int source, tag, from, got_tag;
      std::size_t bytes;
    };
    for (const Case& c : {Case{0, 1, 0, 1, n}, Case{0, 2, 0, 2, n / 2}, Case{0, kAnyTag, 0, 1, n},
                          Case{2, kAnyTag, 2, 2, n / 3}}) {
      ASSERT_TRUE(world[1].module->iprobe(world[1].probing(c.source, c.tag), status).value());
      EXPECT_EQ(status.source, c.from);
      EXPECT_EQ(status.tag, c.got_tag);
      EXPECT_EQ(status.bytes, c.bytes);
    }
    EXPECT_FALSE(world[1].module->iprobe(world[1].probing(2, 1), status).value());
    std::vector<std::byte> got(n);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(world[1].module->iprobe(world[1].probing(kAnySource, kAnyTag), status).value());
      MessageStatus received;
      EXPECT_TRUE(
          world[1]
              .module->recv(world[1].from(status.source, status.tag, got.data(), n), received)
              .ok());
      EXPECT_EQ(received.bytes, status.bytes);
    }
    world[0].wait(sends[0]);
    world[0].wait(sends[1]);
    world[2].wait(sends[2]);
  }
}

TEST_P(Requests, MatchedProbeTakesTheMessageOut) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    const auto first = pattern(n, 3), second = pattern(n, 4);
    EXPECT_EQ(world[1].module->improbe(world[1].probing(0, 1)).value(), nullptr);
    Request* sends[] = {world[0].isend(world[0].to(1, 1, first.data(), n, Mode::synchronous)),
                        world[0].isend(world[0].to(1, 1, second.data(), n))};
    world.settle();
    Message* message = world[1].module->improbe(world[1].probing(kAnySource, 1)).value();
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(message->kind(), ObjectKind::message);
    EXPECT_EQ(message->status().bytes, n);
    std::vector<std::byte> got(n);
    MessageStatus status;
    EXPECT_TRUE(world[1].module->recv(world[1].from(0, 1, got.data(), n), status).ok());
    EXPECT_EQ(got, second);
    const MessageStatus matched = world[1].wait(
        world[1].module->imrecv(*message, got.data(), static_cast<Count>(n), bytes()).value());
    EXPECT_EQ(got, first);
    EXPECT_EQ(matched.source, 0);
    EXPECT_EQ(matched.tag, 1);
    world[0].wait(sends[0]);
    world[0].wait(sends[1]);
  }
}

TEST_P(Requests, ADroppedMatchedMessageReleasesItsSender) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    const auto data = pattern(n, 3);
    Request* send = world[0].isend(world[0].to(1, 1, data.data(), n, Mode::synchronous));
    world.settle();
    Message* message = world[1].module->improbe(world[1].probing(0, 1)).value();
    ASSERT_NE(message, nullptr);
    message->release();
    EXPECT_TRUE(world[0].wait(send).error.ok());
  }
  EXPECT_EQ(world[1].module->buffers().in_use(), 0u);
}

// The acknowledgement is on its way when the send is cancelled: the request waits for the answer to
// its question, which would otherwise find a request that is gone.
TEST(Cancel, ARequestWaitsForTheAnswer) {
  World world(2);
  int x = 5, got = 0;
  Request* receive = world[1].irecv(world[1].from(0, 1, &got, sizeof got));
  Request* send = world[0].isend(world[0].to(1, 1, &x, sizeof x, Mode::synchronous));
  world[1].progress.poll();
  send->cancel();
  world[0].progress.poll();
  EXPECT_FALSE(send->complete());
  EXPECT_FALSE(world[0].wait(send).cancelled);
  EXPECT_FALSE(world[1].wait(receive).cancelled);
  EXPECT_EQ(got, 5);
}

INSTANTIATE_TEST_SUITE_P(Transport, Requests, testing::ValuesIn(transports()), transport_name);

}  // namespace
}  // namespace tessera::test
