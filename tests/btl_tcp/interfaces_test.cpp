// SPDX-License-Identifier: BSD-3-Clause
// Which interfaces are used.
#include "components/btl/tcp/interfaces.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::btl::tcp {
namespace {

const std::vector<Interface> kMachine = {
    {"lo", *Address::parse("127.0.0.1"), 8},      {"eth0", *Address::parse("192.0.2.2"), 24},
    {"ib0", *Address::parse("10.1.2.3"), 16},     {"lo", *Address::parse("::1"), 128},
    {"eth0", *Address::parse("2001:db8::2"), 64},
};

std::string chosen(const char* include, const char* exclude) {
  auto result = select_interfaces(kMachine, include, exclude);
  if (!result) return result.status().text();
  std::string text;
  for (const Interface& one : *result) text += one.address.text() + " ";
  return text;
}

TEST(TcpInterfaces, AllByDefault) {
  EXPECT_EQ(chosen("", ""), "127.0.0.1 192.0.2.2 10.1.2.3 ::1 2001:db8::2 ");
}

TEST(TcpInterfaces, IncludeByNameAndBlock) {
  EXPECT_EQ(chosen("eth0", ""), "192.0.2.2 2001:db8::2 ");
  EXPECT_EQ(chosen("ib0, lo", ""), "127.0.0.1 10.1.2.3 ::1 ");
  EXPECT_EQ(chosen("192.0.2.0/24", ""), "192.0.2.2 ");
  EXPECT_EQ(chosen("10.0.0.0/8,2001:db8::/32", ""), "10.1.2.3 2001:db8::2 ");
}

TEST(TcpInterfaces, ExcludeByNameAndBlock) {
  EXPECT_EQ(chosen("", "eth0"), "127.0.0.1 10.1.2.3 ::1 ");
  EXPECT_EQ(chosen("", "127.0.0.0/8,::1/128"), "192.0.2.2 10.1.2.3 2001:db8::2 ");
  EXPECT_EQ(chosen("eth0", "2001:db8::/32"), "192.0.2.2 ");
}

// A block may be excluded on machines that have nothing in it: one list serves all.
TEST(TcpInterfaces, ExcludedBlockNeedNotExist) {
  EXPECT_EQ(chosen("ib0", "172.17.0.0/16"), "10.1.2.3 ");
}

TEST(TcpInterfaces, UnknownNamesAreExplained) {
  for (const char* list : {"eth1", "eth0,eth1", "192.0.2.0/240"}) {
    const std::string included = chosen(list, "");
    EXPECT_NE(included.find("btl_tcp_if_include"), std::string::npos) << included;
    EXPECT_NE(included.find("ib0 (10.1.2.3/16)"), std::string::npos) << included;
  }
  EXPECT_NE(chosen("", "eth1").find("btl_tcp_if_exclude: 'eth1'"), std::string::npos);
  EXPECT_NE(chosen("203.0.113.0/24", "").find("'203.0.113.0/24' matches no address"),
            std::string::npos);
}

TEST(TcpInterfaces, NothingLeftIsAnError) {
  auto result = select_interfaces(kMachine, "ib0", "10.0.0.0/8");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Errc::argument);
}

TEST(TcpInterfaces, TheMachineHasSome) {
  auto all = list_interfaces();
  ASSERT_TRUE(all.ok());
  for (const Interface& one : *all) {
    EXPECT_FALSE(one.name.empty());
    EXPECT_LE(one.prefix, one.address.bits());
    EXPECT_TRUE(one.address.is_v4() || !one.address.is_link_local());
  }
  EXPECT_TRUE(std::any_of(all->begin(), all->end(),
                          [](const auto& one) { return one.address.is_loopback(); }));
}

}  // namespace
}  // namespace tessera::btl::tcp
