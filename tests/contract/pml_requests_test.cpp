// SPDX-License-Identifier: BSD-3-Clause
// Contract of every pml: requests, probes, and what a lost or unreachable peer means (MPI-5.0
// §3.7-3.9).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "pml_world.h"

namespace tessera::contract {

namespace {

class PmlRequests : public testing::TestWithParam<Network> {
 protected:
  PmlWorld world{2, GetParam()};
  std::vector<std::byte> got = std::vector<std::byte>(40'000);
};

TEST_P(PmlRequests, PersistentOnesStartAgainAndAgain) {
  for (const std::size_t size : {8u, 20'000u}) {
    std::vector<std::byte> out(size);
    const auto send = world[0].module().send_init(world[0].to(1, 1, out.data(), size));
    const auto receive = world[1].module().recv_init(world[1].from(0, 1, got.data(), size));
    ASSERT_TRUE(send.ok() && receive.ok());
    EXPECT_TRUE(send.value()->persistent() && !send.value()->active() && send.value()->complete());
    for (unsigned round = 0; round < 5; ++round) {
      std::ranges::copy(pattern(size, round),
                        out.begin());  // in place: the request knows the address
      ASSERT_TRUE(receive.value()->start().ok());
      ASSERT_TRUE(send.value()->start().ok());
      EXPECT_EQ(world[1].wait(receive.value()).bytes, size);
      EXPECT_TRUE(world[0].wait(send.value()).error.ok());
      EXPECT_EQ(std::memcmp(got.data(), out.data(), size), 0);
    }
    send.value()->free();
    receive.value()->free();
  }
}

TEST_P(PmlRequests, HandlesGivenUpEarlyCompleteByThemselves) {
  const auto data = pattern(20'000, 1);
  world[1].module().irecv(world[1].from(0, 1, got.data(), data.size())).value()->free();
  world[0].module().isend(world[0].to(1, 1, data.data(), data.size())).value()->free();
  world.settle();
  EXPECT_EQ(std::memcmp(got.data(), data.data(), data.size()), 0);
}

TEST_P(PmlRequests, ContinuationsRunOnce) {
  int ran = 0;
  const auto receive = world[1].module().irecv(world[1].from(0, 1, got.data(), 100));
  ASSERT_TRUE(receive.ok());
  receive.value()->then(
      [](Request& request, void* count) noexcept {
        *static_cast<int*>(count) += request.complete();
      },
      &ran);
  const auto data = pattern(100, 2);
  EXPECT_TRUE(world[0].module().send(world[0].to(1, 1, data.data(), 100)).ok());
  EXPECT_EQ(world[1].wait(receive).bytes, 100u);
  EXPECT_EQ(ran, 1);
}

TEST_P(PmlRequests, ACancelledReceiveLeavesTheMessageToTheNext) {
  const auto receive = world[1].module().irecv(world[1].from(0, 1, got.data(), 100));
  ASSERT_TRUE(receive.ok());
  receive.value()->cancel();
  EXPECT_TRUE(world[1].wait(receive).cancelled);
  const auto data = pattern(100, 2);
  const auto send = world[0].module().isend(world[0].to(1, 1, data.data(), 100));
  std::vector<std::byte> other(100);
  MessageStatus status;
  EXPECT_TRUE(world[1].module().recv(world[1].from(0, 1, other.data(), 100), status).ok());
  EXPECT_EQ(other, data);
  EXPECT_EQ(got[0], std::byte{});
  EXPECT_TRUE(world[0].wait(send).error.ok());
}

TEST_P(PmlRequests, ProbesSeeAndLeaveTheMessage) {
  for (const std::size_t size : {10u, 20'000u}) {
    MessageStatus status;
    const auto before = world[1].module().iprobe(world[1].probing(kAnySource, kAnyTag), status);
    EXPECT_TRUE(before.ok() && !before.value());
    const auto data = pattern(size, 3);
    const auto send = world[0].module().isend(world[0].to(1, 7, data.data(), size));
    world.settle();
    for (const int tag : {7, kAnyTag}) {
      const auto there = world[1].module().iprobe(world[1].probing(kAnySource, tag), status);
      EXPECT_TRUE(there.ok() && there.value());
      EXPECT_EQ(status.source, 0);
      EXPECT_EQ(status.tag, 7);
      EXPECT_EQ(status.bytes, size);
    }
    EXPECT_FALSE(world[1].module().iprobe(world[1].probing(0, 8), status).value());
    EXPECT_EQ(world[1].wait(world[1].module().irecv(world[1].from(0, 7, got.data(), size))).bytes,
              size);
    EXPECT_TRUE(world[0].wait(send).error.ok());
  }
}

TEST_P(PmlRequests, AMatchedMessageBelongsToWhoMatchedIt) {
  for (const std::size_t size : {10u, 20'000u}) {
    const auto first = pattern(size, 1), second = pattern(size, 2);
    const auto one = world[0].module().isend(world[0].to(1, 7, first.data(), size));
    const auto two = world[0].module().isend(world[0].to(1, 7, second.data(), size));
    world.settle();
    const auto matched = world[1].module().improbe(world[1].probing(0, 7));
    ASSERT_TRUE(matched.ok() && matched.value() != nullptr);
    EXPECT_EQ(matched.value()->status().bytes, size);
    EXPECT_EQ(world[1].wait(world[1].module().irecv(world[1].from(0, 7, got.data(), size))).bytes,
              size);
    EXPECT_EQ(std::memcmp(got.data(), second.data(), size), 0);
    const auto& type = *world[1].from(0, 7, nullptr, 0).type;
    EXPECT_EQ(world[1]
                  .wait(world[1].module().imrecv(*matched.value(), got.data(),
                                                 static_cast<Count>(size), type))
                  .bytes,
              size);
    EXPECT_EQ(std::memcmp(got.data(), first.data(), size), 0);
    EXPECT_TRUE(world[0].wait(one).error.ok() && world[0].wait(two).error.ok());
  }
}

TEST_P(PmlRequests, ALostPeerEndsWhatConcernsItAndNothingElse) {
  PmlWorld three(3, GetParam());
  const auto receive = three[0].module().irecv(three[0].from(1, 1, got.data(), 100));
  const auto others = three[0].module().irecv(three[0].from(2, 1, got.data() + 200, 100));
  const auto data = pattern(100, 1);
  three.settle();
  three.lose(1, "the test says so");
  const MessageStatus status = three[0].wait(receive);
  EXPECT_TRUE(status.error == Errc::peer_failed) << status.error.text();
  EXPECT_FALSE(three[0].module().send(three[0].to(1, 1, data.data(), 100)).ok());
  const auto send = three[2].module().isend(three[2].to(0, 1, data.data(), 100));
  EXPECT_TRUE(three[0].wait(others).error.ok());
  EXPECT_TRUE(three[2].wait(send).error.ok());
}

TEST_P(PmlRequests, AnUnreachablePeerIsAnErrorWithTheRoutersText) {
  world[0].unreachable = "no way there";
  const auto data = pattern(8, 1);
  const Status sent = world[0].module().send(world[0].to(1, 0, data.data(), 8));
  EXPECT_TRUE(sent == Errc::peer_failed);
  EXPECT_NE(std::string(sent.text()).find("no way there"), std::string::npos) << sent.text();
}

std::string network_name(const testing::TestParamInfo<Network>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Over, PmlRequests, testing::ValuesIn(networks()), network_name);

}  // namespace

}  // namespace tessera::contract
