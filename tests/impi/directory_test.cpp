// SPDX-License-Identifier: BSD-3-Clause
// What clients conclude from the labels that the server sends.
#include <gtest/gtest.h>

#include "impi/wire/directory.h"

namespace tessera::impi {
namespace {

// Two clients: the first has two hosts with 1 and 2 processes, the second one host with 1.
struct Sent {
  std::uint32_t label;
  std::uint32_t clients;
  Bytes values;
};

Bytes numbers(std::initializer_list<std::uint32_t> list) {
  return encode_values(std::vector<std::uint32_t>(list));
}

Bytes ids(std::size_t count) {
  std::vector<HostId> addresses(count);
  for (std::size_t i = 0; i < count; ++i) addresses[i][15] = static_cast<std::byte>(i + 2);
  return encode_values(addresses);
}

std::vector<Sent> good_job() {
  return {{0x1000, 3, encode_values(std::vector<Version>{{0, 0}, {0, 1}, {0, 0}, {0, 1}})},
          {0x1100, 3, numbers({2, 1})},
          {0x1200, 3, numbers({3, 1})},
          {0x1300, 3, numbers({65536, 1024})},
          {0x1400, 3, numbers({2147483647, 40000})},
          {0x1500, 3, numbers({0xFFFFFFFF, 1024})},
          {0x1600, 3, numbers({4, 0xFFFFFFFF})},
          {0x2000, 3, ids(3)},
          {0x2100, 3, numbers({5001, 5002, 5003})},
          {0x2200, 3, numbers({1, 2, 1})},
          {0x2300, 3, numbers({10, 5, 20})},
          {0x2400, 3, numbers({20, 30, 25})},
          {0x3000, 3, ids(4)},
          {0x3100, 3, encode_values(std::vector<std::int64_t>{100, 101, 102, 100})},
          {0x7F000001, 1, numbers({9})}};
}

Outcome<Directory> built(const std::vector<Sent>& sent) {
  DirectoryBuilder builder(2);
  for (const Sent& one : sent) {
    if (auto taken = builder.take({one.label, one.clients, one.values}); !taken.ok())
      return taken.fault();
  }
  return builder.finish();
}

TEST(Directory, Good) {  // req impi 3.1, 3.2, 3.6, 3.7, 3.10
  const auto made = built(good_job());
  ASSERT_TRUE(made.ok()) << made.text();
  const Directory& job = made.value();
  ASSERT_EQ(job.hosts.size(), 3U);
  EXPECT_EQ(job.hosts[1].client, 0U);
  EXPECT_EQ(job.hosts[1].first_process, 1U);
  EXPECT_EQ(job.hosts[2].first_process, 3U);
  EXPECT_EQ(job.hosts[2].port, 5003);
  EXPECT_EQ(job.processes[2].host, 1U);
  EXPECT_EQ(job.processes[3].id.pid, 100);
  EXPECT_EQ(job.limits.datalen, 1024U);
  EXPECT_EQ(job.limits.tag_ub, 40000U);
  EXPECT_EQ(job.limits.ackmark, 5U);
  EXPECT_EQ(job.limits.hiwater, 20U);
  EXPECT_EQ(job.limits.xsize, 1024);
  EXPECT_EQ(job.limits.version, (Version{0, 1}));
}

TEST(Directory, SilentClients) {  // req impi 3.8
  auto sent = good_job();
  std::erase_if(sent, [](const Sent& one) { return one.label == 0x1400 || one.label == 0x2300; });
  const auto made = built(sent);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value().limits.tag_ub, kLeastTagUb);
  EXPECT_EQ(made.value().limits.ackmark, 1U);
}

TEST(Directory, MissingPlacesAreNamed) {
  auto sent = good_job();
  sent[8] = {0x2100, 1, numbers({5001, 5002})};
  const auto made = built(sent);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.text().find("H_PORT is missing of client 1"), std::string::npos) << made.text();
}

TEST(Directory, BadValues) {
  const std::vector<Sent> bad = {
      {0x1000, 3, numbers({0, 0, 0})},
      {0x1000, 3, numbers({0, 1, 0, 0})},
      {0x1100, 3, numbers({0, 1})},
      {0x1100, 7, numbers({2, 1, 1})},
      {0x1100, 3, numbers({2})},
      {0x1200, 3, numbers({4, 1})},
      {0x1300, 3, numbers({0, 1024})},
      {0x1400, 3, numbers({32766, 40000})},
      {0x1400, 3, numbers({0x80000000, 40000})},
      {0x1500, 3, numbers({1000, 1024})},
      {0x2100, 3, numbers({0, 5002, 5003})},
      {0x2100, 3, numbers({65536, 5002, 5003})},
      {0x2200, 3, numbers({0, 3, 1})},
      {0x2200, 3, numbers({1, 0xFFFFFFFF, 1})},
      {0x2300, 3, numbers({21, 21, 21})},
      {0x2400, 3, numbers({0, 30, 25})},
      {0x3100, 3, encode_values(std::vector<std::int64_t>{100, 101, 102})},
  };
  for (const Sent& one : bad) {
    auto sent = good_job();
    for (Sent& place : sent) {
      if (place.label == one.label) place = one;
    }
    EXPECT_FALSE(built(sent).ok()) << std::hex << one.label;
  }
}

TEST(Directory, TwoProcessesWithOneName) {
  auto sent = good_job();
  sent[12].values = encode_values(std::vector<HostId>(4));
  const auto made = built(sent);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.text().find("pid 100"), std::string::npos) << made.text();
}

TEST(Directory, LabelsAscend) {
  DirectoryBuilder builder(2);
  const Bytes values = numbers({1, 1});
  EXPECT_TRUE(builder.take({0x1300, 3, values}).ok());
  EXPECT_FALSE(builder.take({0x1300, 3, values}).ok());
  EXPECT_FALSE(builder.take({0x1100, 3, values}).ok());
}

}  // namespace
}  // namespace tessera::impi
