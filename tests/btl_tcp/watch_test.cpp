// SPDX-License-Identifier: BSD-3-Clause
// When the machine behind a connection is lost, and when it only does not listen.
#include "components/btl/tcp/watch.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <vector>

namespace tessera::btl::tcp {
namespace {

constexpr int kSilence = 20;
constexpr std::int64_t kLong = 21'000;  // milliseconds

LinkState state(std::uint32_t unsent, std::uint32_t unacked, std::uint32_t retransmits,
                std::uint32_t probes, std::int64_t heard_ms) {
  return {unsent, unacked, retransmits, probes, heard_ms};
}

TEST(TcpWatch, NothingOnItsWayIsSettledHoweverLong) {
  EXPECT_EQ(judge(state(0, 0, 0, 0, 1'000'000), kSilence), LinkVerdict::settled);
}

TEST(TcpWatch, DataWithoutAnAnswerAreLostAfterTheSilence) {
  EXPECT_EQ(judge(state(0, 3, 7, 0, kLong), kSilence), LinkVerdict::lost);
  EXPECT_EQ(judge(state(0, 3, 7, 0, 19'000), kSilence), LinkVerdict::waiting);
}

// The first packet after a long rest: the last acknowledgement is old, nothing is lost yet.
TEST(TcpWatch, AnOldAcknowledgementAloneMeansNothing) {
  EXPECT_EQ(judge(state(0, 1, 0, 0, 1'000'000), kSilence), LinkVerdict::waiting);
  EXPECT_EQ(judge(state(0, 1, 2, 0, 1'000'000), kSilence), LinkVerdict::waiting);
}

TEST(TcpWatch, AFullWindowOfABusyPeerIsNoSilence) {
  EXPECT_EQ(judge(state(60'000, 0, 0, 0, kLong), kSilence), LinkVerdict::waiting);
}

TEST(TcpWatch, AnUnansweredProbeOfAFullWindowIsADoubt) {
  EXPECT_EQ(judge(state(60'000, 0, 0, 1, kLong), kSilence), LinkVerdict::doubtful);
  EXPECT_EQ(judge(state(60'000, 0, 0, 1, 19'000), kSilence), LinkVerdict::waiting);
}

// A listener and a connection to it; the accepted side never reads.
struct Pair {
  Socket listener, near, far;
  std::uint16_t port = 0;
  Pair() {
    listener = Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int small = 4096;
    setsockopt(listener.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    socklen_t bytes = sizeof at;
    EXPECT_EQ(bind(listener.get(), address, bytes), 0);
    EXPECT_EQ(listen(listener.get(), 8), 0);
    EXPECT_EQ(getsockname(listener.get(), address, &bytes), 0);
    port = ntohs(at.sin_port);
    near = Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(near.get(), address, bytes), 0);
    far = Socket(accept(listener.get(), nullptr, nullptr));
  }
  void fill() {
    const std::vector<char> data(1 << 16);
    while (send(near.get(), data.data(), data.size(), MSG_DONTWAIT) > 0) {
    }
  }
};

TEST(TcpWatch, APeerThatDoesNotReadIsWaitedFor) {
  Pair pair;
  EXPECT_EQ(judge(look_at(pair.near), 0), LinkVerdict::settled);
  pair.fill();
  EXPECT_GT(look_at(pair.near).unsent, 0u);
  Watch watch;
  for (int second = 0; second < 100; ++second) {
    EXPECT_EQ(watch.look(pair.near, kSilence, second * 1'000'000), LinkVerdict::waiting);
  }
}

TEST(TcpWatch, FarEndNamesAddressAndPort) {
  const Pair pair;
  EXPECT_EQ(far_end(pair.near), "127.0.0.1:" + std::to_string(pair.port));
  EXPECT_EQ(far_end(Socket()), "a closed connection");
}

}  // namespace
}  // namespace tessera::btl::tcp
