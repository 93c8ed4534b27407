// SPDX-License-Identifier: BSD-3-Clause
// Peers that die, peers that leave, peers that are not there.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "harness.h"

namespace tessera::btl::tcp {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void connect_pair(JobOf& job) {
  job.send(0, 1, 8);
  job.send(1, 0, 8);
  ASSERT_TRUE(job.run_until([&] { return job[0].sink.from(1) == 1 && job[1].sink.from(0) == 1; }));
}

// Polls process 0 alone: process 1 has no module any more.
bool poll_until(Process& process, const std::function<bool()>& done) {
  const std::int64_t start = now_us();
  while (!done()) {
    process.poll();
    if (now_us() - start > 60'000'000) return false;
  }
  return true;
}

TEST(TcpFailure, DeathIsToldOnceToEachSink) {
  JobOf job(2);
  connect_pair(job);
  job[1].die();
  ASSERT_TRUE(poll_until(job[0], [&] { return !job[0].sink.losses.empty(); }));
  for (int i = 0; i < 100; ++i) job[0].poll();
  ASSERT_EQ(job[0].sink.losses[1].size(), 1u);  // the collector serves three channels
  EXPECT_TRUE(contains(job[0].sink.losses[1].front(), "process 1 broke"));
  const Status status = job[0].send(1, 8);
  EXPECT_EQ(status.code(), Errc::peer_failed);
  EXPECT_TRUE(contains(status.text(), "process 1 broke"));
  EXPECT_TRUE(job[0].module->flushed());
}

TEST(TcpFailure, DeathInTheMiddleOfAPacket) {
  TestParams params;
  params.set("sndbuf", "4096");
  params.set("rcvbuf", "4096");
  JobOf job(2, params);
  connect_pair(job);
  job.send(1, 0, 200000);
  for (int i = 0; i < 5; ++i) job[0].poll();
  job[1].die();
  ASSERT_TRUE(poll_until(job[0], [&] { return !job[0].sink.losses.empty(); }));
  EXPECT_EQ(job[0].sink.from(1), 1u);
}

TEST(TcpFailure, DeathSeenBySending) {
  JobOf job(2);
  connect_pair(job);
  job[1].die();
  Status status;
  while (status.ok()) status = job[0].send(1, 100);
  EXPECT_EQ(status.code(), Errc::peer_failed);
  ASSERT_TRUE(poll_until(job[0], [&] { return job[0].sink.losses[1].size() == 1; }));
}

TEST(TcpFailure, LeavingIsNoFailure) {
  JobOf job(2);
  connect_pair(job);
  job[1].leave();
  for (int i = 0; i < 200; ++i) job[0].poll();
  EXPECT_TRUE(job[0].sink.losses.empty());
  ASSERT_TRUE(poll_until(job[0], [&] { return job[0].send(1, 8) == Errc::peer_failed; }));
  EXPECT_TRUE(contains(job[0].send(1, 8).text(), "has left"));
  EXPECT_TRUE(job[0].sink.losses.empty());
}

// Everything sent before the end arrives, though the receiver looks only afterwards.
TEST(TcpFailure, NothingIsLostByLeavingAtOnce) {
  for (int round = 0; round < 20; ++round) {
    JobOf job(2);
    connect_pair(job);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(job[1].send(0, 10000).ok());
    EXPECT_TRUE(job[0].send(1, 5000).ok());  // unread by the one that leaves
    job[1].leave();
    EXPECT_TRUE(poll_until(job[0], [&] { return job[0].sink.from(1) == 11; }));
    EXPECT_EQ(job[0].sink.error, "");
    EXPECT_TRUE(job[0].sink.losses.empty());
  }
}

// Nor what was still on its way, when unread bytes would make the kernel cut the connection.
TEST(TcpFailure, NothingIsLostByLeavingWithAFullPipe) {
  TestParams params;
  params.set("rcvbuf", "4096");
  params.set("linger", "50");
  JobOf job(2, params);
  connect_pair(job);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(job[1].send(0, 10000).ok());
  EXPECT_TRUE(job[0].send(1, 1000).ok());
  job[1].leave();
  EXPECT_TRUE(poll_until(job[0], [&] { return job[0].sink.from(1) == 11; }));
  EXPECT_EQ(job[0].sink.error, "");
}

TEST(TcpFailure, NobodyThereNamesTheAddresses) {
  JobOf job(2);
  const Card card = job[0].card(1);
  job[1].die();
  (void)job[0].send(1, 8);
  ASSERT_TRUE(poll_until(job[0], [&] { return !job[0].sink.losses.empty(); }));
  const std::string text = job[0].sink.losses[1].front();
  EXPECT_TRUE(contains(text, "cannot reach process 1")) << text;
  EXPECT_TRUE(contains(text, "127.0.0.1:" + std::to_string(card.port) + ": Connection refused"))
      << text;
  EXPECT_EQ(job[0].send(1, 8).code(), Errc::peer_failed);
  EXPECT_EQ(job[0].sink.losses[1].size(), 1u);
}

TEST(TcpFailure, APeerWithoutACard) {
  JobOf job(2);
  job[0].bootstrap.believed[1] = {std::byte{99}};
  const Status status = job[0].send(1, 8);
  EXPECT_EQ(status.code(), Errc::peer_failed);
  EXPECT_TRUE(contains(status.text(), "process 1 published no TCP address")) << status.text();
}

TEST(TcpFailure, NoCommonInterface) {
  TestParams params;
  params.set("if_include", "127.0.0.1");
  JobOf job(2, params);
  Card card = job[0].card(1);
  card.addresses = {*Address::parse("2001:db8::1")};
  job[0].bootstrap.believed[1] = card.encode();
  const Status status = job[0].send(1, 8);
  EXPECT_EQ(status.code(), Errc::peer_failed);
  EXPECT_TRUE(contains(status.text(), "2001:db8::1")) << status.text();
}

TEST(TcpFailure, NoDescriptorToCallWith) {
  JobOf job(2);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{3, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Status status = job[0].send(1, 8);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(status.code(), Errc::peer_failed);
  EXPECT_TRUE(contains(status.text(), "Too many open files")) << status.text();
}

TEST(TcpFailure, AllDescriptorsAreGivenBack) {
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 5; ++i) {
    JobOf job(4);
    for (std::uint32_t to = 1; to < 4; ++to) job.send(0, to, 100);
    job[2].die();
  }
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace tessera::btl::tcp
