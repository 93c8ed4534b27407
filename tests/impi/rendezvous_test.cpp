// SPDX-License-Identifier: BSD-3-Clause
// Gathering labels: every order in which clients may send them.
#include <gtest/gtest.h>

#include "impi/server/rendezvous.h"
#include "tests/impi/hex.h"

namespace tessera::impi {
namespace {

Bytes value(std::uint32_t number) {
  Bytes bytes;
  append_number(bytes, number);
  return bytes;
}

std::string sent(Rendezvous& job) {
  std::string text;
  for (const Bytes& reply : job.collect()) {
    if (reply.size() == 8) {
      text += "DONE ";
      continue;
    }
    text += to_hex(ByteView(reply).subspan(8, 4)) + "/" +
            std::to_string(load<std::uint32_t>(&reply[12]));
    for (std::size_t at = 16; at < reply.size(); at += 4)
      text += "," + std::to_string(load<std::uint32_t>(&reply[at]));
    text += " ";
  }
  return text;
}

TEST(Rendezvous, Ranks) {  // req impi 2.10
  Rendezvous job(2);
  EXPECT_FALSE(job.join(2).ok());
  EXPECT_FALSE(job.join(-1).ok());
  EXPECT_TRUE(job.join(1).ok());
  EXPECT_EQ(job.join(1).text(), "rank 1 is taken");
  EXPECT_EQ(job.who_is_missing(), "client 0 of 2 did not come");
  EXPECT_TRUE(job.join(0).ok());
  EXPECT_TRUE(job.all_joined());
}

TEST(Rendezvous, PartialLabels) {  // req impi 2.11, 2.12, 2.13, 2.14, 2.16
  Rendezvous job(3);
  EXPECT_TRUE(job.submit(0, 0x1000, value(1)).ok());
  EXPECT_TRUE(job.submit(0, 0x7F000001, value(9)).ok());
  EXPECT_TRUE(job.done(0).ok());
  EXPECT_TRUE(job.submit(2, 0x1100, value(3)).ok());
  EXPECT_EQ(sent(job), "");
  EXPECT_TRUE(job.submit(1, 0x1000, value(2)).ok());
  EXPECT_EQ(sent(job), "00 00 10 00/3,1,2 ");
  EXPECT_TRUE(job.done(1).ok());
  EXPECT_EQ(sent(job), "00 00 11 00/4,3 ");
  EXPECT_TRUE(job.done(2).ok());
  EXPECT_EQ(sent(job), "7f 00 00 01/1,9 DONE ");
  EXPECT_TRUE(job.started());
  EXPECT_EQ(sent(job), "");
}

TEST(Rendezvous, WhatIsRefused) {  // req impi 2.15
  Rendezvous job(1);
  EXPECT_FALSE(job.fini(0).ok());
  EXPECT_FALSE(job.submit(0, 0, value(1)).ok());
  EXPECT_TRUE(job.submit(0, 0x1100, value(1)).ok());
  EXPECT_FALSE(job.submit(0, 0x1100, value(1)).ok());
  EXPECT_FALSE(job.submit(0, 0x1000, value(1)).ok());
  EXPECT_TRUE(job.done(0).ok());
  EXPECT_FALSE(job.done(0).ok());
  EXPECT_FALSE(job.submit(0, 0x1200, value(1)).ok());
}

TEST(Rendezvous, WhatIsKeptIsBounded) {
  Rendezvous job(2);
  const Bytes large(1U << 20);
  std::uint32_t label = 1;
  while (job.submit(0, label, large).ok()) ASSERT_LT(++label, 100U);
  EXPECT_EQ(label - 1, Rendezvous::kMostQueued >> 20);
  label = 1;
  while (job.submit(1, label, {}).ok()) ASSERT_LE(++label, Rendezvous::kMostLabels + 1);
  EXPECT_EQ(label - 1, Rendezvous::kMostLabels);
}

TEST(Rendezvous, TheSilentOneIsNamed) {
  Rendezvous job(2);
  EXPECT_TRUE(job.join(0).ok());
  EXPECT_TRUE(job.join(1).ok());
  EXPECT_TRUE(job.submit(0, 0x1100, value(1)).ok());
  EXPECT_EQ(job.who_is_missing(), "client 1 of 2 did not send C_NHOSTS or DONE");
}

}  // namespace
}  // namespace tessera::impi
