// SPDX-License-Identifier: BSD-3-Clause
// Payloads that leave without a copy: what the socket took is told, order and bytes are kept, and a
// peer that has gone raises no signal.
#include "components/btl/tcp/lender.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <numeric>
#include <vector>

#include "harness.h"

namespace tessera::btl::tcp {
namespace {

class TcpLender : public testing::Test {
 protected:
  TcpLender() {
    for (std::size_t i = 0; i < data_.size(); ++i)
      data_[i] = static_cast<std::byte>(i * 7 + i / 251);
  }
  std::vector<std::byte> received() {
    std::vector<std::byte> all(1 << 21);
    std::size_t n = 0;
    for (ssize_t got; (got = receive_some(ends_.far.get(), &all[n], all.size() - n)) > 0;)
      n += static_cast<std::size_t>(got);
    all.resize(n);
    return all;
  }

  SocketPair ends_;
  Lender lender_;
  std::vector<std::byte> data_ = std::vector<std::byte>(1 << 20);
};

TEST_F(TcpLender, PayloadsArriveInOrder) {
  std::vector<std::byte> all;
  for (const std::size_t bytes : {1UL, 4096UL, 5000UL, 70'000UL}) {
    const std::span<const std::byte> payload(&data_[all.size() + 1], bytes);
    ASSERT_EQ(lender_.send(ends_.near.get(), payload), bytes);
    const auto got = received();
    EXPECT_TRUE(std::equal(payload.begin(), payload.end(), got.begin(), got.end())) << bytes;
    all.insert(all.end(), got.begin(), got.end());
  }
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + 1, &data_[1]));
}

TEST_F(TcpLender, AFullSocketTakesAPartAndTheRestIsForgotten) {
  const std::size_t taken = lender_.send(ends_.near.get(), data_);
  ASSERT_LT(taken, data_.size());
  ASSERT_GT(taken, 0U);
  EXPECT_EQ(lender_.send(ends_.near.get(), data_), 0U);
  auto got = received();
  ASSERT_EQ(got.size(), taken);
  EXPECT_EQ(std::memcmp(got.data(), data_.data(), taken), 0);
  ASSERT_EQ(lender_.send(ends_.near.get(), {&data_[taken], 5000}), 5000U);
  got = received();
  ASSERT_EQ(got.size(), 5000U);
  EXPECT_EQ(std::memcmp(got.data(), &data_[taken], 5000), 0);
}

TEST_F(TcpLender, APeerThatHasGoneRaisesNoSignal) {
  ends_.far.close();
  EXPECT_EQ(lender_.send(ends_.near.get(), data_), 0U);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST_F(TcpLender, WhatIsNoSocketForThisTakesNothing) {
  EXPECT_EQ(lender_.send(-1, data_), 0U);
}

}  // namespace
}  // namespace tessera::btl::tcp
