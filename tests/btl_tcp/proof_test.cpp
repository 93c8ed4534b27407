// SPDX-License-Identifier: BSD-3-Clause
// The proofs of the greeting: as Python's hmac and hashlib compute them.
#include "components/btl/tcp/proof.h"

#include <gtest/gtest.h>

namespace tessera::btl::tcp {
namespace {

Secret counting(unsigned first) {
  Secret secret;
  for (std::byte& byte : secret) byte = static_cast<std::byte>(first++);
  return secret;
}

Secret bytes(std::initializer_list<unsigned> values) {
  Secret secret{};
  auto at = secret.begin();
  for (const unsigned value : values) *at++ = static_cast<std::byte>(value);
  return secret;
}

const Hello kHello{3, 7, 1000, 0x1122334455667788, counting(32), {}};

TEST(TcpProof, KnownAnswers) {
  EXPECT_EQ(prove_caller(counting(0), counting(16), kHello),
            bytes({0x64, 0x7f, 0xe0, 0x2a, 0xf5, 0x28, 0x46, 0x5d, 0x69, 0x81, 0x37, 0x9b, 0x2a,
                   0x17, 0x4a, 0x68}));
  EXPECT_EQ(prove_called(counting(0), counting(16), kHello, {2000, {}}),
            bytes({0x29, 0x3e, 0x46, 0xdb, 0xc0, 0x11, 0x62, 0x04, 0xd2, 0x90, 0x5d, 0x7c, 0x37,
                   0x64, 0x4a, 0x15}));
}

TEST(TcpProof, ItsOwnFieldDoesNotCount) {
  Hello proven = kHello;
  proven.proof = prove_caller(counting(0), counting(16), kHello);
  EXPECT_EQ(prove_caller(counting(0), counting(16), proven), proven.proof);
}

TEST(TcpProof, AllElseCounts) {
  const Secret proof = prove_caller(counting(0), counting(16), kHello);
  EXPECT_NE(prove_caller(counting(1), counting(16), kHello), proof);
  EXPECT_NE(prove_caller(counting(0), counting(17), kHello), proof);
  Hello other = kHello;
  other.max_packet = 1001;
  EXPECT_NE(prove_caller(counting(0), counting(16), other), proof);
  other = kHello;
  other.nonce = counting(33);
  EXPECT_NE(prove_caller(counting(0), counting(16), other), proof);
  EXPECT_NE(prove_called(counting(0), counting(16), other, {2000, {}}),
            prove_called(counting(0), counting(16), kHello, {2000, {}}));
}

}  // namespace
}  // namespace tessera::btl::tcp
