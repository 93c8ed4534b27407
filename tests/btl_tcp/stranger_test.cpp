// SPDX-License-Identifier: BSD-3-Clause
// Connections from programs that are none of ours are dropped, and harm nobody.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <random>

#include "components/btl/tcp/proof.h"
#include "harness.h"

namespace tessera::btl::tcp {
namespace {

using Bytes = std::vector<std::byte>;

// What a caller who knows `door` answers to `challenge`.
Bytes hello(Hello greeting, const Secret& door, const Secret& challenge) {
  greeting.proof = prove_caller(door, challenge, greeting);
  Bytes bytes(Hello::kBytes);
  greeting.write(bytes.data());
  return bytes;
}

Secret challenge_on(JobOf& job, const Socket& socket) {
  Secret challenge{};
  EXPECT_TRUE(job.run_until(
      [&] { return receive_some(socket.get(), challenge.data(), challenge.size()) == 16; }));
  return challenge;
}

void say(const Socket& socket, const Bytes& bytes) {
  EXPECT_EQ(send_some(socket.get(), bytes.data(), bytes.size()),
            static_cast<ssize_t>(bytes.size()));
}

// Whether the other side hangs up on us without a word but its challenge.
bool is_dropped(JobOf& job, const Socket& socket) {
  std::byte byte;
  std::size_t heard = 0;
  ssize_t got = -EAGAIN;
  EXPECT_TRUE(job.run_until([&] {
    got = receive_some(socket.get(), &byte, 1);
    if (got > 0) ++heard;
    return got <= 0 && got != -EAGAIN;
  }));
  return heard <= sizeof(Secret);
}

void say_hello(JobOf& job, const Socket& caller, const Hello& greeting) {
  say(caller, hello(greeting, job[1].card(1).door, challenge_on(job, caller)));
}

// Plays process 0 and calls process 1 until it is welcome.
Socket welcome_caller(JobOf& job) {
  Socket caller = call_port(job[1].card(1).port);
  say_hello(job, caller, {0, 1, 1000, 1, {}, {}});
  Bytes welcome(Welcome::kBytes);
  EXPECT_TRUE(job.run_until(
      [&] { return receive_some(caller.get(), welcome.data(), welcome.size()) == 24; }));
  return caller;
}

void still_works(JobOf& job) {
  const std::uint32_t before = job[1].sink.from(0);
  job.send(0, 1, 3000);
  EXPECT_TRUE(job.run_until([&] { return job[1].sink.from(0) == before + 1; }));
  EXPECT_EQ(job[1].sink.error, "");
  EXPECT_TRUE(job[0].sink.losses.empty() && job[1].sink.losses.empty());
}

TEST(TcpStranger, GarbageIsDropped) {
  JobOf job(2);
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    const Socket caller = call_port(job[1].card(1).port);
    Bytes noise(Hello::kBytes + random() % 500);
    for (auto& byte : noise) byte = static_cast<std::byte>(random());
    say(caller, noise);
    EXPECT_TRUE(is_dropped(job, caller));
  }
  still_works(job);
}

TEST(TcpStranger, AlmostRightIsDropped) {
  JobOf job(2);
  const Card card = job[1].card(1);
  const Hello wrong[] = {{0, 0, 1000, 1, {}, {}},
                         {1, 1, 1000, 1, {}, {}},
                         {7, 1, 1000, 1, {}, {}},
                         {0, 1, 1000, 2, {}, {}}};
  for (const Hello& one : wrong) {
    const Socket caller = call_port(card.port);
    say_hello(job, caller, one);
    EXPECT_TRUE(is_dropped(job, caller)) << one.from << " " << one.to;
  }
  still_works(job);
}

// Each bit of a right Hello counts.
TEST(TcpStranger, AChangedHelloIsDropped) {
  JobOf job(2);
  const Card card = job[1].card(1);
  for (std::size_t at = 0; at < Hello::kBytes; ++at) {
    const Socket caller = call_port(card.port);
    Bytes bytes = hello({0, 1, 1000, 1, {}, {}}, card.door, challenge_on(job, caller));
    bytes[at] ^= std::byte{1} << (at % 8);
    say(caller, bytes);
    EXPECT_TRUE(is_dropped(job, caller)) << at;
  }
  still_works(job);
}

// Who has heard a greeting knows no secret, and can repeat it nowhere.
TEST(TcpStranger, AReplayIsDropped) {
  JobOf job(2);
  const Card card = job[1].card(1);
  const Socket first = call_port(card.port);
  const Bytes heard = hello({0, 1, 1000, 1, {}, {}}, card.door, challenge_on(job, first));
  EXPECT_EQ(std::search(heard.begin(), heard.end(), card.door.begin(), card.door.end()),
            heard.end());
  say(first, heard);
  Bytes welcome(Welcome::kBytes);
  ASSERT_TRUE(job.run_until(
      [&] { return receive_some(first.get(), welcome.data(), welcome.size()) == 24; }));
  EXPECT_EQ(std::search(welcome.begin(), welcome.end(), card.sign.begin(), card.sign.end()),
            welcome.end());
  for (int i = 0; i < 20; ++i) {
    const Socket again = call_port(card.port);
    say(again, heard);
    EXPECT_TRUE(is_dropped(job, again));
  }
  still_works(job);
}

TEST(TcpStranger, ASlowOneIsShownOut) {
  TestParams params;
  params.set("connect_timeout", "1");
  JobOf job(2, params);
  const Socket silent = call_port(job[1].card(1).port);
  const Socket slow = call_port(job[1].card(1).port);
  say(slow, Bytes(Hello::kBytes - 1, std::byte{1}));
  EXPECT_TRUE(is_dropped(job, silent));
  EXPECT_TRUE(is_dropped(job, slow));
  still_works(job);
}

TEST(TcpStranger, HalfAGreetingAndSilence) {
  JobOf job(2);
  const std::size_t before = open_descriptors();
  {
    std::vector<Socket> callers;
    for (int i = 0; i < 20; ++i) {
      callers.push_back(call_port(job[1].card(1).port));
      say(callers.back(), Bytes(static_cast<std::size_t>(i), std::byte{'T'}));
    }
    for (int i = 0; i < 50; ++i) job[1].poll();
    still_works(job);
  }
  EXPECT_TRUE(job.run_until([&] { return open_descriptors() == before + 2; }));
}

TEST(TcpStranger, TheirNumberIsBounded) {
  JobOf job(2);
  const std::size_t before = open_descriptors();
  constexpr std::size_t kCallers = Listener::kMaxStrangers + 40;
  std::vector<Socket> callers;
  for (std::size_t i = 0; i < kCallers; ++i) callers.push_back(call_port(job[1].card(1).port));
  EXPECT_TRUE(is_dropped(job, callers.front()));
  ASSERT_TRUE(job.run_until(
      [&] { return open_descriptors() == before + kCallers + Listener::kMaxStrangers; }));
  still_works(job);
}

// Whoever greets rightly and then talks nonsense.
TEST(TcpStranger, NonsenseAfterTheGreeting) {
  JobOf job(2);
  const Socket caller = welcome_caller(job);
  say(caller, Bytes(64, std::byte{0xee}));
  EXPECT_TRUE(is_dropped(job, caller));
  still_works(job);
}

TEST(TcpStranger, NonsenseOnAnOpenConnectionEndsIt) {
  JobOf job(2);
  const Socket caller = welcome_caller(job);
  Bytes bytes(Frame::kBytes);
  Frame{0, 0, 0, FrameKind::go}.write(bytes.data());
  say(caller, bytes);
  say(caller, Bytes(64, std::byte{0xee}));
  ASSERT_TRUE(job.run_until([&] { return !job[1].sink.losses.empty(); }));
  EXPECT_NE(job[1].sink.losses[0].front().find("no packet"), std::string::npos)
      << job[1].sink.losses[0].front();
}

// No descriptor is left to accept a call with: no spinning, and it goes on when there is one again.
TEST(TcpStranger, ShortageOfDescriptorsPasses) {
  JobOf job(2);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const Socket caller = call_port(job[1].card(1).port);
  say(caller, Bytes(Hello::kBytes, std::byte{1}));
  const rlimit none{3, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  bool rests = false;
  for (int i = 0; i < 1000; ++i) {
    job[1].poll();
    pollfd sleeper{job[1].watched(), POLLIN, 0};
    rests = rests || ::poll(&sleeper, 1, 0) == 0;
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(rests) << "a sleeper would be woken without end";
  EXPECT_TRUE(is_dropped(job, caller));
  still_works(job);
}

}  // namespace
}  // namespace tessera::btl::tcp
