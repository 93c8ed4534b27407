// SPDX-License-Identifier: BSD-3-Clause
// Packets between processes: partial writes, many peers, both address families, nothing created
// before it is needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "harness.h"

namespace tessera::btl::tcp {
namespace {

TestParams small_buffers() {
  TestParams params;
  params.set("sndbuf", "4096");
  params.set("rcvbuf", "4096");
  params.set("queue_limit", "8192");
  return params;
}

TEST(TcpTransfer, PartialWritesLoseNothing) {
  JobOf job(2, small_buffers());
  std::mt19937 random(11);
  for (int i = 0; i < 150; ++i) job.send(0, 1, random() % 200000);
  ASSERT_TRUE(job.run_until([&] { return job[1].sink.from(0) == 150; }));
  EXPECT_EQ(job[1].sink.error, "");
  EXPECT_TRUE(job[0].module->flushed());
}

TEST(TcpTransfer, LentPayloadsAreSentAsTheyAre) {
  for (const TestParams& params : {TestParams(), small_buffers()}) {
    JobOf job(2, params);
    job[0].lend = true;
    std::mt19937 random(5);
    for (int i = 0; i < 100; ++i) job.send(0, 1, random() % 400000);
    ASSERT_TRUE(job.run_until([&] { return job[1].sink.from(0) == 100; }));
    EXPECT_EQ(job[1].sink.error, "");
  }
}

TEST(TcpTransfer, BothDirectionsWithFullBuffers) {
  JobOf job(2, small_buffers());
  for (int i = 0; i < 300; ++i) {
    (void)job[0].send(1, 9000);
    (void)job[1].send(0, 9000);
    job[0].poll();
    job[1].poll();
  }
  ASSERT_TRUE(job.run_until([&] {
    return job[1].sink.from(0) == job[0].sent(1) && job[0].sink.from(1) == job[1].sent(0);
  }));
  EXPECT_GT(job[0].sent(1), 10u);
  EXPECT_EQ(job[0].sink.error + job[1].sink.error, "");
}

TEST(TcpTransfer, QueueIsBounded) {
  JobOf job(2, small_buffers());
  std::uint32_t taken = 0;
  while (taken < 100000 && job[0].send(1, 100).ok()) ++taken;
  EXPECT_LT(taken, 1000u);
  EXPECT_FALSE(job[0].module->flushed());
  ASSERT_TRUE(job.run_until([&] { return job[1].sink.from(0) == taken; }));
  job.send(0, 1, 100);
}

TEST(TcpTransfer, EveryPairOfManyProcesses) {
  JobOf job(24);
  for (std::uint32_t from = 0; from < job.size(); ++from) {
    for (std::uint32_t to = 0; to < job.size(); ++to) {
      if (from != to) job.send(from, to, 64);
    }
  }
  ASSERT_TRUE(job.run_until([&] {
    for (std::uint32_t to = 0; to < job.size(); ++to) {
      for (std::uint32_t from = 0; from < job.size(); ++from) {
        if (from != to && job[to].sink.from(from) != 1) return false;
      }
    }
    return true;
  }));
  for (std::uint32_t id = 0; id < job.size(); ++id) EXPECT_EQ(job[id].sink.error, "");
}

TEST(TcpTransfer, ConnectionsAreMadeOnFirstUse) {
  JobOf job(8);
  const std::size_t before = open_descriptors();
  for (std::uint32_t to = 1; to < 8; ++to)
    EXPECT_TRUE(job[0].module->connect(job[0].job.peer(to)).ok());
  for (int i = 0; i < 100; ++i) job[0].poll();
  EXPECT_EQ(open_descriptors(), before);
  job.send(0, 5, 8);
  ASSERT_TRUE(job.run_until([&] { return job[5].sink.from(0) == 1; }));
  EXPECT_EQ(open_descriptors(), before + 2);
}

void over(const char* interface) {
  TestParams params;
  params.set("if_include", interface);
  JobOf job(2, params);
  job.send(0, 1, 1000);
  job.send(1, 0, 100000);
  EXPECT_TRUE(job.run_until([&] { return job[1].sink.from(0) == 1 && job[0].sink.from(1) == 1; }));
  EXPECT_NE(std::strstr(job[0].module->describe(), interface), nullptr)
      << job[0].module->describe();
}

bool has_address(const char* text) {
  auto all = list_interfaces();
  return std::any_of(all->begin(), all->end(),
                     [&](const auto& one) { return one.address.text() == text; });
}

TEST(TcpTransfer, OverIPv4Loopback) {
  over("127.0.0.1");
}

TEST(TcpTransfer, OverIPv6Loopback) {
  if (!has_address("::1")) GTEST_SKIP() << "no IPv6 here";
  over("::1");
}

TEST(TcpTransfer, OverARealInterface) {
  auto all = list_interfaces();
  for (const Interface& one : *all) {
    if (!one.address.is_loopback()) return over(one.address.text().c_str());
  }
  GTEST_SKIP() << "no interface but loopback";
}

TEST(TcpTransfer, NobodyIsReachedOnOtherMachinesByLoopback) {
  TestParams params;
  params.set("if_include", "lo");
  JobOf job(2, params);
  Peer remote{1, Locality::remote, 0, nullptr, nullptr};
  EXPECT_FALSE(job[0].module->reaches(remote));
  EXPECT_TRUE(job[0].module->reaches(job[0].job.peer(1)));
  EXPECT_FALSE(job[0].module->reaches(job[0].job.peer(0)));
}

}  // namespace
}  // namespace tessera::btl::tcp
