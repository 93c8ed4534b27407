// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives over every kind of transport: data, order, wild cards, truncation, modes,
// types.
#include "transport_test.h"

namespace tessera::test {
namespace {

class Messages : public testing::TestWithParam<Traits> {};

using pml::Mode;

TEST_P(Messages, EverySizeArrivesPosted) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    const auto data = pattern(n, static_cast<std::uint32_t>(n));
    std::vector<std::byte> got(n + 1);
    Request* receive = world[1].irecv(world[1].from(0, 5, got.data(), n + 1));
    EXPECT_TRUE(world[0].module->send(world[0].to(1, 5, data.data(), n)).ok());
    const MessageStatus status = world[1].wait(receive);
    EXPECT_TRUE(status.error.ok());
    EXPECT_EQ(status.source, 0);
    EXPECT_EQ(status.tag, 5);
    EXPECT_EQ(status.bytes, n);
    got.resize(n);
    EXPECT_EQ(got, data);
  }
}

TEST_P(Messages, EverySizeArrivesUnexpected) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    const auto data = pattern(n, static_cast<std::uint32_t>(n));
    Request* send = world[0].isend(world[0].to(1, 5, data.data(), n));
    world.settle();
    std::vector<std::byte> got(n);
    MessageStatus status;
    EXPECT_TRUE(
        world[1].module->recv(world[1].from(kAnySource, kAnyTag, got.data(), n), status).ok());
    EXPECT_EQ(status.source, 0);
    EXPECT_EQ(status.tag, 5);
    EXPECT_EQ(got, data);
    EXPECT_TRUE(world[0].wait(send).error.ok());
  }
  world.settle();
  EXPECT_EQ(world[1].module->buffers().in_use(), 0u);
}

TEST_P(Messages, MessagesOfOneSenderKeepTheirOrder) {
  World world(2, GetParam());
  constexpr int kMessages = 60;
  std::vector<std::vector<std::byte>> out;
  std::vector<std::vector<std::byte>> in(kMessages);
  std::vector<Request*> sends;
  std::vector<Request*> receives;
  for (int i = 0; i < kMessages; ++i) out.push_back(pattern(kSizes[i % std::size(kSizes)], i));
  for (int i = 0; i < kMessages; ++i) {
    sends.push_back(world[0].isend(world[0].to(1, 3, out[i].data(), out[i].size())));
    if (i % 7 == 0) world.step();
    in[i].resize(100'001);
    receives.push_back(world[1].irecv(world[1].from(
        i % 2 == 0 ? 0 : kAnySource, i % 3 == 0 ? 3 : kAnyTag, in[i].data(), in[i].size())));
  }
  for (int i = 0; i < kMessages; ++i) {
    const MessageStatus status = world[1].wait(receives[i]);
    in[i].resize(status.bytes);
    EXPECT_EQ(in[i], out[i]) << i;
    EXPECT_TRUE(world[0].wait(sends[i]).error.ok());
  }
}

TEST_P(Messages, TagsAndContextsSelect) {
  World world(2, GetParam());
  const auto a = pattern(100, 1), b = pattern(2000, 2), c = pattern(700, 3);
  Request* sends[3];
  sends[0] = world[0].isend(world[0].to(1, 1, a.data(), a.size()));
  sends[1] = world[0].isend(world[0].to(1, 2, b.data(), b.size()));
  world[0].context = 44;
  sends[2] = world[0].isend(world[0].to(1, 1, c.data(), c.size()));
  std::vector<std::byte> got(5000);
  MessageStatus status;
  EXPECT_TRUE(world[1].module->recv(world[1].from(0, 2, got.data(), got.size()), status).ok());
  EXPECT_EQ(std::vector(got.begin(), got.begin() + 2000), b);
  world[1].context = 44;
  EXPECT_TRUE(world[1]
                  .module->recv(world[1].from(kAnySource, kAnyTag, got.data(), got.size()), status)
                  .ok());
  EXPECT_EQ(std::vector(got.begin(), got.begin() + 700), c);
  world[1].context = GetParam().context;
  EXPECT_TRUE(world[1].module->recv(world[1].from(0, 1, got.data(), got.size()), status).ok());
  EXPECT_EQ(std::vector(got.begin(), got.begin() + 100), a);
  for (Request* send : sends) EXPECT_TRUE(world[0].wait(send).error.ok());
}

TEST_P(Messages, TruncationIsReportedAndSurvived) {
  World world(2, GetParam());
  for (const std::size_t n : {10u, 512u, 5000u, 100'001u}) {
    for (const bool posted : {true, false}) {
      for (const std::size_t room : {n - 3, std::size_t{0}}) {
        const auto data = pattern(n, 9);
        std::vector<std::byte> got(n, std::byte{0x5a});
        Request* receive = nullptr;
        if (posted) receive = world[1].irecv(world[1].from(0, 77, got.data(), room));
        Request* send = world[0].isend(world[0].to(1, 77, data.data(), n));
        world.settle();
        if (!posted) receive = world[1].irecv(world[1].from(0, 77, got.data(), room));
        world[1].progress.wait_until([&] { return receive->complete(); });
        EXPECT_EQ(receive->status().error.code(), Errc::truncated);
        const std::string text = receive->status().error.text();
        for (const std::string& part :
             {std::string("source 0"), std::string("tag 77"), std::to_string(n) + " bytes",
              std::to_string(room) + " bytes"}) {
          EXPECT_NE(text.find(part), std::string::npos) << text;
        }
        EXPECT_EQ(receive->status().bytes, room);
        receive->free();
        EXPECT_TRUE(world[0].wait(send).error.ok());
        for (std::size_t i = room; i < n; ++i) ASSERT_EQ(got[i], std::byte{0x5a}) << i;
        const int next = 4711;
        int heard = 0;
        Request* again = world[0].isend(world[0].to(1, 77, &next, sizeof next));
        MessageStatus status;
        EXPECT_TRUE(world[1].module->recv(world[1].from(0, 77, &heard, sizeof heard), status).ok());
        EXPECT_EQ(heard, next);
        world[0].wait(again);
      }
    }
  }
}

TEST_P(Messages, SynchronousSendsCompleteOnlyWhenMatched) {
  World world(2, GetParam());
  for (const std::size_t n : kSizes) {
    const auto data = pattern(n, 4);
    std::vector<std::byte> got(n);
    Request* send = world[0].isend(world[0].to(1, 1, data.data(), n, Mode::synchronous));
    world.settle();
    EXPECT_FALSE(send->complete()) << n;
    Request* receive = world[1].irecv(world[1].from(0, 1, got.data(), n));
    EXPECT_TRUE(world[0].wait(send).error.ok());
    EXPECT_TRUE(world[1].wait(receive).error.ok());
    EXPECT_EQ(got, data);
    receive = world[1].irecv(world[1].from(0, 1, got.data(), n));
    EXPECT_TRUE(world[0].module->send(world[0].to(1, 1, data.data(), n, Mode::synchronous)).ok());
    EXPECT_TRUE(world[1].wait(receive).error.ok());
  }
}

TEST_P(Messages, ReadySendsAreStandardSends) {
  World world(2, GetParam());
  const auto data = pattern(3000, 4);
  std::vector<std::byte> got(3000);
  Request* receive = world[1].irecv(world[1].from(0, 1, got.data(), 3000));
  EXPECT_TRUE(world[0].module->send(world[0].to(1, 1, data.data(), 3000, Mode::ready)).ok());
  EXPECT_TRUE(world[1].wait(receive).error.ok());
  EXPECT_EQ(got, data);
}

TEST_P(Messages, SelfMessages) {
  World world(1, GetParam());
  Rank& me = world[0];
  for (const std::size_t n : kSizes) {
    const auto data = pattern(n, 6);
    std::vector<std::byte> got(n);
    for (const Mode mode : {Mode::standard, Mode::synchronous}) {
      Request* receive = me.irecv(me.from(0, 1, got.data(), n));
      EXPECT_TRUE(me.module->send(me.to(0, 1, data.data(), n, mode)).ok());
      EXPECT_TRUE(me.wait(receive).error.ok());
      EXPECT_EQ(got, data);
      Request* send = me.isend(me.to(0, 1, data.data(), n, mode));
      MessageStatus status;
      EXPECT_TRUE(me.module->recv(me.from(kAnySource, kAnyTag, got.data(), n), status).ok());
      EXPECT_TRUE(me.wait(send).error.ok());
      EXPECT_EQ(got, data);
    }
  }
}

// contiguous -> strided, strided -> contiguous and strided -> strided with other block lengths
// carry the same bytes.
TEST_P(Messages, DataWithGaps) {
  World world(2, GetParam());
  const StridedType by5(5, 8), by3(3, 11);
  const Datatype* types[] = {&bytes(), &by5, &by3};
  for (const Count total : {15, 600, 30'000}) {
    for (const Datatype* out_type : types) {
      for (const Datatype* in_type : types) {
        const Count out_count = total / out_type->size(), in_count = total / in_type->size();
        const auto out = pattern(static_cast<std::size_t>(out_count * out_type->extent()), 8);
        std::vector<std::byte> in(static_cast<std::size_t>(in_count * in_type->extent()));
        pml::SendArgs send = world[0].to(1, 2, out.data(), 0);
        send.count = out_count;
        send.type = out_type;
        pml::RecvArgs receive = world[1].from(0, 2, in.data(), 0);
        receive.count = in_count;
        receive.type = in_type;
        Request* sent = world[0].isend(send);
        Request* received = world[1].irecv(receive);
        EXPECT_EQ(world[1].wait(received).bytes, static_cast<std::uint64_t>(total));
        EXPECT_TRUE(world[0].wait(sent).error.ok());
        EXPECT_EQ(packed(*out_type, out.data(), out_count), packed(*in_type, in.data(), in_count));
      }
    }
  }
}

TEST_P(Messages, TypesLiveAsLongAsTheOperation) {
  for (const bool give_up_handle : {false, true}) {
    World world(2, GetParam());
    auto* type = new StridedType(4, 6);
    std::vector<std::byte> out(600), in(400);
    pml::SendArgs args = world[0].to(1, 2, out.data(), 0);
    args.count = 100;
    args.type = type;
    args.mode = Mode::synchronous;
    Request* send = world[0].isend(args);
    type->release();
    if (give_up_handle) send->free();
    world.settle();
    EXPECT_FALSE(type->disposed());
    world[1].wait(world[1].irecv(world[1].from(0, 2, in.data(), 400)));
    if (!give_up_handle) world[0].wait(send);
    world.settle();
    EXPECT_TRUE(type->disposed());
    delete type;
  }
}

TEST_P(Messages, BothDirectionsAtOnce) {
  World world(3, GetParam());
  constexpr std::size_t n = 30'000;
  std::vector<std::vector<std::byte>> in(9, std::vector<std::byte>(n));
  std::vector<Request*> requests[3];
  std::vector<std::vector<std::byte>> out;
  for (int i = 0; i < 9; ++i) out.push_back(pattern(n, i));
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      requests[to].push_back(world[to].irecv(world[to].from(from, 0, in[from * 3 + to].data(), n)));
      requests[from].push_back(
          world[from].isend(world[from].to(to, 0, out[from * 3 + to].data(), n)));
    }
  }
  for (int rank = 0; rank < 3; ++rank) {
    for (Request* request : requests[rank]) EXPECT_TRUE(world[rank].wait(request).error.ok());
  }
  EXPECT_EQ(in, out);
  for (int rank = 0; rank < 3; ++rank) world[rank].module->drain();
}

INSTANTIATE_TEST_SUITE_P(Transport, Messages, testing::ValuesIn(transports()), transport_name);

TEST(PointToPoint, TheFastPathRegistersNoPollerAndQueuesNothing) {
  World world(2);
  const std::uint64_t x = 7;
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(world[0].module->send(world[0].to(1, 0, &x, sizeof x)).ok());
  EXPECT_EQ(world[0].progress.pollers(), 1u);
  EXPECT_EQ(world.wire(0, 1).sent(), 100u);
}

TEST(PointToPoint, TheOutboxPollsOnlyWhileSomethingWaits) {
  World world(2);
  world.wire(0, 1).set_blocked(true);
  int x = 1, y = 2, got = 0;
  Request* first = world[0].isend(world[0].to(1, 0, &x, sizeof x));
  Request* second = world[0].isend(world[0].to(1, 0, &y, sizeof y));
  EXPECT_FALSE(first->complete());
  EXPECT_EQ(world[0].progress.pollers(), 2u);
  world.settle();
  EXPECT_FALSE(second->complete());
  world.wire(0, 1).set_blocked(false);
  world.settle();
  EXPECT_EQ(world[0].progress.pollers(), 1u);
  MessageStatus status;
  for (const int expected : {1, 2}) {
    EXPECT_TRUE(world[1].module->recv(world[1].from(0, 0, &got, sizeof got), status).ok());
    EXPECT_EQ(got, expected);
  }
  world[0].wait(first);
  world[0].wait(second);
}

TEST(PointToPoint, UnconnectedPeerIsAnErrorWithTheRoutersText) {
  World world(2);
  world[0].unreachable = "tcp: connection refused";
  int x = 1;
  const Status sent = world[0].module->send(world[0].to(1, 0, &x, sizeof x));
  EXPECT_EQ(sent.code(), Errc::peer_failed);
  EXPECT_NE(std::string(sent.text()).find("tcp: connection refused"), std::string::npos)
      << sent.text();
}

}  // namespace
}  // namespace tessera::test
