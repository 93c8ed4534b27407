// SPDX-License-Identifier: BSD-3-Clause
// A peer that dies: everything that depends on it completes with peer_failed, everything else goes
// on.
#include "transport_test.h"

namespace tessera::test {
namespace {

class LostPeers : public testing::TestWithParam<Traits> {};

void expect_lost(Rank& rank, Request* request) {
  rank.progress.wait_until([&] { return request->complete(); });
  EXPECT_EQ(request->status().error.code(), Errc::peer_failed);
  const std::string text = request->status().error.text();
  EXPECT_NE(text.find("process 2"), std::string::npos) << text;
  EXPECT_NE(text.find("connection reset"), std::string::npos) << text;
  request->free();
}

TEST_P(LostPeers, PendingOperationsFailAndOthersGoOn) {
  for (int moment = 0; moment < 12; ++moment) {
    World world(3, GetParam(), 50u + static_cast<unsigned>(moment));
    const auto data = pattern(30'000, 1);
    std::vector<std::byte> a(30'000), b(30'000), c(30'000);
    Request* sends[] = {world[0].isend(world[0].to(2, 1, data.data(), 30'000)),
                        world[0].isend(world[0].to(2, 1, data.data(), 8, pml::Mode::synchronous))};
    Request* other = world[0].irecv(world[0].from(1, 5, b.data(), b.size()));
    Request* receives[] = {world[0].irecv(world[0].from(2, 4, a.data(), a.size())),
                           world[0].irecv(world[0].from(kAnySource, 4, c.data(), c.size()))};
    for (int i = 0; i < moment; ++i) world.step();
    world.lose(2, "connection reset");
    world.lose(2, "told twice");
    for (Request* request : sends) expect_lost(world[0], request);
    for (Request* request : receives) expect_lost(world[0], request);
    EXPECT_FALSE(other->complete());
    EXPECT_EQ(world[0].module->send(world[0].to(2, 1, data.data(), 8)).code(), Errc::peer_failed);
    expect_lost(world[0], world[0].isend(world[0].to(2, 1, data.data(), 30'000)));
    expect_lost(world[0], world[0].irecv(world[0].from(2, 1, a.data(), 8)));
    MessageStatus status;
    EXPECT_EQ(world[0].module->iprobe(world[0].probing(2, 1), status).status().code(),
              Errc::peer_failed);
    EXPECT_EQ(world[0].module->improbe(world[0].probing(2, 1)).status().code(), Errc::peer_failed);
    Request* send = world[1].isend(world[1].to(0, 5, data.data(), data.size()));
    EXPECT_TRUE(world[0].wait(other).error.ok());
    EXPECT_EQ(b, data);
    EXPECT_TRUE(world[1].wait(send).error.ok());
    world[0].module->drain();
  }
}

TEST_P(LostPeers, TransfersUnderWayFail) {
  for (int moment = 0; moment < 12; ++moment) {
    World world(3, GetParam(), 50u + static_cast<unsigned>(moment));
    const auto data = pattern(60'000, 1);
    std::vector<std::byte> in(60'000), out(60'000);
    Request* their_receive = world[2].irecv(world[2].from(0, 1, out.data(), out.size()));
    Request* their_send = world[2].isend(world[2].to(0, 1, data.data(), data.size()));
    Request* send = world[0].isend(world[0].to(2, 1, data.data(), data.size()));
    Request* receive = world[0].irecv(world[0].from(2, 1, in.data(), in.size()));
    for (int i = 0; i < moment; ++i) world.step();
    world.lose(2, "connection reset");
    for (Request* request : {send, receive}) {
      world[0].progress.wait_until([&] { return request->complete(); });
      if (request->status().error.ok()) continue;
      EXPECT_EQ(request->status().error.code(), Errc::peer_failed);
    }
    if (receive->status().error.ok()) {
      EXPECT_EQ(in, data);
    }
    send->free();
    receive->free();
    (void)their_receive, (void)their_send;
  }
}

TEST_P(LostPeers, WhatHadArrivedIsStillReceived) {
  World world(3, GetParam());
  const auto data = pattern(30, 1);
  Request* small = world[2].isend(world[2].to(0, 1, data.data(), 30));
  Request* large = world[2].isend(world[2].to(0, 2, data.data(), 30, pml::Mode::synchronous));
  std::vector<std::byte> big(30'000);
  Request* huge = world[2].isend(world[2].to(0, 3, big.data(), big.size()));
  world.settle();
  world.lose(2, "connection reset");
  world.settle();
  std::vector<std::byte> got(30);
  MessageStatus status;
  EXPECT_TRUE(world[0].module->recv(world[0].from(2, 1, got.data(), 30), status).ok());
  EXPECT_EQ(got, data);
  EXPECT_TRUE(world[0].module->recv(world[0].from(kAnySource, 2, got.data(), 30), status).ok());
  EXPECT_EQ(world[0].module->recv(world[0].from(2, 3, big.data(), big.size()), status).code(),
            Errc::peer_failed);
  (void)small, (void)large, (void)huge;
}

// Continuations that run while a peer is given up may free, cancel and start other operations on
// it.
TEST(LostPeer, ContinuationsMayInterfere) {
  World world(3);
  struct State {
    Rank* rank;
    Request* victim;
    int x = 0;
    Request* started = nullptr;
  } state{&world[0], nullptr};
  int a = 0, b = 0;
  Request* first = world[0].irecv(world[0].from(2, 1, &a, sizeof a));
  state.victim = world[0].irecv(world[0].from(2, 2, &b, sizeof b));
  first->then(
      [](Request& request, void* argument) noexcept {
        auto& s = *static_cast<State*>(argument);
        request.free();
        if (!s.victim->complete()) s.victim->cancel();
        s.started = s.rank->isend(s.rank->to(2, 1, &s.x, sizeof s.x));
      },
      &state);
  world.lose(2, "connection reset");
  world.settle();
  ASSERT_NE(state.started, nullptr);
  expect_lost(world[0], state.started);
  world[0].wait(state.victim);
}

INSTANTIATE_TEST_SUITE_P(Transport, LostPeers, testing::ValuesIn(transports()), transport_name);

}  // namespace
}  // namespace tessera::test
