// SPDX-License-Identifier: BSD-3-Clause
// Parameters that the manifest alone cannot check.
#include "components/btl/tcp/settings.h"

#include <gtest/gtest.h>

#include "harness.h"

namespace tessera::btl::tcp {
namespace {

TEST(TcpSettings, PortRanges) {
  EXPECT_TRUE(PortRange::parse("0")->any());
  EXPECT_EQ(PortRange::parse("4711")->high, 4711);
  EXPECT_EQ(PortRange::parse("40000..40010")->low, 40000);
  for (const char* text :
       {"", "x", "5..4", "0..7", "1..70000", "-1", "1..", "..5", "1...5", "1-5"}) {
    const auto range = PortRange::parse(text);
    ASSERT_FALSE(range.ok()) << text;
    EXPECT_NE(std::string(range.status().text()).find("btl_tcp_ports"), std::string::npos);
  }
}

TEST(TcpSettings, EagerLimitFitsIntoAPacket) {
  TestParams params;
  params.set("max_packet", "1024");
  EXPECT_EQ(read_settings(params)->attributes.eager_limit, 1024 - kMaxHeader);
  params.set("eager_limit", "1000");
  const auto settings = read_settings(params);
  ASSERT_FALSE(settings.ok());
  EXPECT_NE(std::string(settings.status().text()).find("btl_tcp_eager_limit"), std::string::npos);
}

TEST(TcpSettings, LinksShareWhatOnePacketCarries) {
  TestParams params;
  EXPECT_EQ(read_settings(params)->attributes.max_packet, std::size_t{1025} << 10);
  params.set("links", "4");
  EXPECT_EQ(read_settings(params)->links, 4u);
  EXPECT_EQ(read_settings(params)->attributes.max_packet, (std::size_t{1025} << 10) / 4);
  params.set("eager_limit", "524288");
  EXPECT_EQ(read_settings(params)->attributes.eager_limit, std::size_t{512} << 10);
  params.set("max_packet", "1048576");
  EXPECT_EQ(read_settings(params)->attributes.max_packet, std::size_t{1} << 20);
}

TEST(TcpSettings, PortsOfTheRangeAreTakenInTurn) {
  contract::Segment segment(3);
  TestParams params;
  params.set("ports", "42310..42311");
  params.set("if_include", "127.0.0.1");
  Process first(segment, 0, params), second(segment, 1, params), third(segment, 2, params);
  if (!first.opened || !second.opened) GTEST_SKIP() << "somebody else uses these ports";
  EXPECT_EQ(first.card(0).port + second.card(1).port, 42310 + 42311);
  EXPECT_EQ(third.opened.code(), Errc::no_space);
  EXPECT_NE(std::string(third.opened.text()).find("42310..42311"), std::string::npos);
}

TEST(TcpSettings, BadInterfaceEndsOpen) {
  contract::Segment segment(1);
  TestParams params;
  params.set("if_include", "nosuch0");
  Process process(segment, 0, params);
  EXPECT_EQ(process.opened.code(), Errc::argument);
  EXPECT_NE(std::string(process.opened.text()).find("'nosuch0'"), std::string::npos);
}

}  // namespace
}  // namespace tessera::btl::tcp
