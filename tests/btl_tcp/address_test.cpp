// SPDX-License-Identifier: BSD-3-Clause
// Addresses and networks.
#include "components/btl/tcp/address.h"

#include <gtest/gtest.h>

namespace tessera::btl::tcp {
namespace {

Address at(const char* text) {
  return *Address::parse(text);
}

TEST(TcpAddress, ReadsAndPrints) {
  for (const char* text : {"192.0.2.1", "0.0.0.0", "2001:db8::1", "::", "::1"})
    EXPECT_EQ(at(text).text(), text);
  for (const char* text : {"", "192.0.2", "192.0.2.256", "host", "1:2", "192.0.2.1 "}) {
    EXPECT_FALSE(Address::parse(text)) << text;
  }
  EXPECT_EQ(with_port(at("192.0.2.1"), 80), "192.0.2.1:80");
  EXPECT_EQ(with_port(at("2001:db8::1"), 80), "[2001:db8::1]:80");
}

TEST(TcpAddress, MappedIsIPv4) {
  EXPECT_TRUE(at("::ffff:192.0.2.1").is_v4());
  EXPECT_EQ(at("::ffff:192.0.2.1"), at("192.0.2.1"));
}

TEST(TcpAddress, KnowsItsKind) {
  EXPECT_TRUE(at("127.8.9.1").is_loopback());
  EXPECT_TRUE(at("::1").is_loopback());
  EXPECT_FALSE(at("128.0.0.1").is_loopback());
  EXPECT_TRUE(at("fe80::1").is_link_local());
  EXPECT_TRUE(at("169.254.3.4").is_link_local());
  EXPECT_TRUE(at("172.31.0.1").is_private());
  EXPECT_FALSE(at("172.32.0.1").is_private());
  EXPECT_TRUE(at("fd00::2").is_private());
  EXPECT_FALSE(at("2001:db8::1").is_private());
}

TEST(TcpAddress, SurvivesSocketForm) {
  for (const char* text : {"192.0.2.1", "2001:db8::1"}) {
    EXPECT_EQ(Address::of(SocketAddress(at(text), 1).get()), at(text));
  }
}

TEST(TcpNetwork, ReadsBlocks) {
  EXPECT_EQ(Network::parse("192.0.2.0/24")->prefix, 24u);
  EXPECT_EQ(Network::parse("192.0.2.7")->prefix, 32u);
  EXPECT_EQ(Network::parse("fd00::/8")->prefix, 8u);
  for (const char* text :
       {"192.0.2.0/33", "192.0.2.0/", "192.0.2.0/-1", "192.0.2.0/8x", "fd00::/129", "/8", "eth0"}) {
    EXPECT_FALSE(Network::parse(text)) << text;
  }
}

TEST(TcpNetwork, ContainsByPrefix) {
  const struct {
    const char* block;
    const char* address;
    bool inside;
  } cases[] = {
      {"192.0.2.0/24", "192.0.2.255", true},       {"192.0.2.0/24", "192.0.3.0", false},
      {"192.0.2.64/26", "192.0.2.127", true},      {"192.0.2.64/26", "192.0.2.128", false},
      {"0.0.0.0/0", "203.0.113.9", true},          {"0.0.0.0/0", "2001:db8::1", false},
      {"2001:db8::/33", "2001:db8:7fff::1", true}, {"2001:db8::/33", "2001:db8:8000::1", false},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(Network::parse(one.block)->contains(at(one.address)), one.inside)
        << one.block << " " << one.address;
  }
}

}  // namespace
}  // namespace tessera::btl::tcp
