// SPDX-License-Identifier: BSD-3-Clause
// Two processes come to share one connection, however they call each other.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "harness.h"

namespace tessera::btl::tcp {
namespace {

bool both_have(JobOf& job, std::uint32_t count) {
  return job.run_until(
      [&] { return job[0].sink.from(1) == count && job[1].sink.from(0) == count; });
}

// All interleavings of the first steps: `first` polls of one process before each poll of the other.
TEST(TcpMeeting, SimultaneousCallsMakeOneConnection) {
  for (int first = 0; first < 8; ++first) {
    for (int second = 0; second < 8; ++second) {
      JobOf job(2);
      const std::size_t before = open_descriptors();
      for (std::uint32_t i = 0; i < 3; ++i) {
        job.send(0, 1, 100);
        job.send(1, 0, 100);
        for (int k = 0; k < first; ++k) job[0].poll();
        for (int k = 0; k < second; ++k) job[1].poll();
      }
      ASSERT_TRUE(both_have(job, 3)) << first << " " << second;
      ASSERT_TRUE(job.run_until([&] { return open_descriptors() == before + 2; }))
          << open_descriptors() - before;
      EXPECT_EQ(job[0].sink.error + job[1].sink.error, "");
      EXPECT_TRUE(job[0].sink.losses.empty() && job[1].sink.losses.empty());
    }
  }
}

// The same with processes that really run at once.
TEST(TcpMeeting, ConnectStorm) {
  for (int round = 0; round < 40; ++round) {
    JobOf job(4);
    std::vector<std::thread> threads;
    for (std::uint32_t id = 0; id < job.size(); ++id) {
      threads.emplace_back([&job, id] {
        Process& me = job[id];
        for (std::uint32_t i = 0; i < 20; ++i) {
          for (std::uint32_t to = 0; to < job.size(); ++to) {
            while (to != id && me.sent(to) <= i && !me.send(to, 50)) me.poll();
          }
        }
        me.progress.wait_until([&] {
          for (std::uint32_t from = 0; from < job.size(); ++from) {
            if (from != id && me.sink.from(from) != 20) return false;
          }
          return me.module->flushed();
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::uint32_t id = 0; id < job.size(); ++id) {
      EXPECT_EQ(job[id].sink.error, "");
      EXPECT_TRUE(job[id].sink.losses.empty());
    }
  }
}

// A program that accepts connections (in its backlog) and says nothing, unless it is told to.
class Stranger {
 public:
  Stranger() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    const SocketAddress name(*Address::parse("127.0.0.1"), 0);
    EXPECT_EQ(bind(socket_.get(), name.get(), name.size()), 0);
    EXPECT_EQ(listen(socket_.get(), 16), 0);
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    EXPECT_EQ(getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
    port = ntohs(bound.sin_port);
  }
  // Sends some challenge, then what it hears, on its first connection.
  void echo() {
    if (!caller_.valid()) {
      caller_ = Socket(accept(socket_.get(), nullptr, nullptr));
      const Secret challenge{};
      if (caller_.valid()) (void)send_some(caller_.get(), challenge.data(), challenge.size());
    }
    std::byte bytes[100];
    const ssize_t got = caller_.valid() ? receive_some(caller_.get(), bytes, sizeof bytes) : 0;
    if (got > 0) (void)send_some(caller_.get(), bytes, static_cast<std::size_t>(got));
  }
  std::uint16_t port = 0;

 private:
  Socket socket_;
  Socket caller_;
};

void believe(Process& process, std::uint32_t id, const Card& card) {
  process.bootstrap.believed[id] = card.encode();
}

// Process 0 has precedence, but its calls end nowhere: after a while the other's call is taken.
TEST(TcpMeeting, OneWayReachabilityIsEnough) {
  JobOf job(2);
  const Stranger silent;
  Card wrong = job[0].card(1);
  wrong.port = silent.port;
  believe(job[0], 1, wrong);
  job.send(0, 1, 10);
  for (int i = 0; i < 20; ++i) job[0].poll();
  job.send(1, 0, 10);
  ASSERT_TRUE(both_have(job, 1));
}

// And when it is the other one whose calls end nowhere, nobody waits.
TEST(TcpMeeting, TheOtherWayRoundToo) {
  JobOf job(2);
  const Stranger silent;
  Card wrong = job[1].card(0);
  wrong.port = silent.port;
  believe(job[1], 0, wrong);
  job.send(1, 0, 10);
  for (int i = 0; i < 20; ++i) job[1].poll();
  job.send(0, 1, 10);
  ASSERT_TRUE(both_have(job, 1));
}

// An address where connections are made and cut, or nobody is, before one that is right.
TEST(TcpMeeting, BadAddressesAreSkipped) {
  TestParams params;
  params.set("if_include", "127.0.0.1");
  JobOf job(2, params);
  Card card = job[0].card(1);
  card.addresses.insert(card.addresses.begin(),
                        {*Address::parse("127.5.5.5"), *Address::parse("127.6.6.6")});
  believe(job[0], 1, card);
  job.send(0, 1, 10);
  EXPECT_TRUE(job.run_until([&] { return job[1].sink.from(0) == 1; }));
}

// Another process answers at the address: its sign is not the one on the card.
TEST(TcpMeeting, TheWrongProcessIsNotTalkedTo) {
  JobOf job(3);
  Card card = job[0].card(1);
  const Card other = job[0].card(2);
  card.port = other.port;
  believe(job[0], 1, card);
  EXPECT_TRUE(job[0].send(1, 10).ok());
  for (int i = 0; i < 200; ++i) {
    for (std::uint32_t id = 0; id < 3; ++id) job[id].poll();
  }
  EXPECT_EQ(job[2].sink.from(0) + job[1].sink.from(0), 0u);
}

// Some program that answers, but cannot know the sign.
TEST(TcpMeeting, AnAnswerWithoutTheSignIsNoPeer) {
  TestParams params;
  params.set("if_include", "127.0.0.1");
  JobOf job(2, params);
  Stranger stranger;
  Card card = job[0].card(1);
  card.port = stranger.port;
  believe(job[0], 1, card);
  EXPECT_TRUE(job[0].send(1, 10).ok());
  ASSERT_TRUE(job.run_until([&] {
    stranger.echo();
    return !job[0].sink.losses.empty();
  }));
  EXPECT_NE(job[0].sink.losses[1].front().find("some other program"), std::string::npos);
}

// A peer that does not look for a while (it computes) is waited for, beyond any deadline of
// connecting.
TEST(TcpMeeting, ABusyPeerIsNotADeadOne) {
  TestParams params;
  params.set("connect_timeout", "1");
  JobOf job(2, params);
  EXPECT_TRUE(job[0].send(1, 10).ok());
  const std::int64_t start = now_us();
  while (now_us() - start < 1'500'000) job[0].poll();
  EXPECT_TRUE(job[0].sink.losses.empty());
  EXPECT_TRUE(job.run_until([&] { return job[1].sink.from(0) == 1; }));
}

}  // namespace
}  // namespace tessera::btl::tcp
