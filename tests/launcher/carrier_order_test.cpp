// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/carrier/carrier_order.h"

#include <gtest/gtest.h>

namespace tessera::launcher::carrier {
namespace {

using Numbers = std::vector<std::uint32_t>;

CarrierOrder sample() {
  CarrierOrder order;
  App first, second;
  first.ranks = 1;
  first.words = {"a.out", "", "two words", "\xff\n"};
  second.ranks = 3;
  second.words = {"b.out"};
  second.directory = "/tmp";
  second.environment.set = {{"NAME", "value"}};
  order.line.apps = {first, second};
  order.line.params = {{"btl", "self,tcp"}};
  order.line.output.tags = Tags::rank;
  order.line.placement.cpu_set = {0, 3};
  order.line.timeout_s = 2.5;
  order.directory = "/home/u";
  order.shares = {{"a", 3}, {"b", 1}};
  order.job_id = 7;
  return order;
}

TEST(CarrierOrder, SurvivesTheWay) {
  auto word = encode(sample());
  ASSERT_TRUE(word.ok());
  EXPECT_EQ(
      word->find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
      std::string::npos);
  auto order = decode(*word);
  ASSERT_TRUE(order.ok()) << order.status().text();
  EXPECT_EQ(order->line.apps[0].words, sample().line.apps[0].words);
  EXPECT_EQ(order->line.apps[1].environment.set, sample().line.apps[1].environment.set);
  EXPECT_EQ(order->line.params, sample().line.params);
  EXPECT_EQ(order->line.output.tags, Tags::rank);
  EXPECT_EQ(order->line.placement.cpu_set, (Numbers{0, 3}));
  EXPECT_EQ(order->line.timeout_s, 2.5);
  EXPECT_EQ(order->line.reader, 0u);
  EXPECT_EQ(order->directory, "/home/u");
  EXPECT_EQ(order->shares[1].host, "b");
  EXPECT_EQ(order->job_id, 7u);
}

TEST(CarrierOrder, RanksThatAreNamedOneByOne) {
  CarrierOrder order = sample();
  order.nodes = {0, 1, 0, 0};
  order.line.placement.slots_by_rank = {{"0", 1}, {"1:0", 2}, {"", 3}, {"2", 4}};
  auto back = decode(encode(order).value());
  ASSERT_TRUE(back.ok());
  CommandLine line;
  EXPECT_EQ(part_of(*back, 0, line).ids, (Numbers{0, 2, 3}));
  ASSERT_EQ(line.placement.slots_by_rank.size(), 3u);
  EXPECT_EQ(line.placement.slots_by_rank[2].slots, "2");
  EXPECT_EQ(line.placement.slots_by_rank[2].line, 4u);
  EXPECT_EQ(part_of(*back, 1, line).ids, (Numbers{1}));
  EXPECT_EQ(line.apps[1].ranks, 1u);
  for (const Numbers& nodes : {Numbers{0, 1, 0}, Numbers{0, 1, 1, 0}, Numbers{0, 2, 0, 0}}) {
    order.nodes = nodes;
    EXPECT_FALSE(decode(encode(order).value()).ok());
  }
}

TEST(CarrierOrder, NobodyReads) {
  CarrierOrder order = sample();
  order.line.reader.reset();
  auto back = decode(encode(order).value());
  ASSERT_TRUE(back.ok());
  EXPECT_FALSE(back->line.reader.has_value());
}

// Every shorter word, and words with one letter changed: an error, or another order, but no crash.
TEST(CarrierOrder, DamageIsAnError) {
  const std::string word = encode(sample()).value();
  for (std::size_t length = 0; length + 1 < word.size(); ++length)
    EXPECT_FALSE(decode(word.substr(0, length)).ok()) << length;
  for (std::size_t at = 0; at < word.size(); ++at) {
    std::string other = word;
    other[at] = other[at] == 'A' ? '_' : 'A';
    (void)decode(other);
  }
  EXPECT_FALSE(decode("?").ok());
  EXPECT_FALSE(decode(word + "AAAA").ok());
}

TEST(CarrierOrder, TooLong) {
  CarrierOrder order = sample();
  order.line.apps[0].words.emplace_back(200'000, 'x');
  EXPECT_EQ(encode(order).status().code(), Errc::argument);
}

TEST(CarrierOrder, EachHostHasItsPart) {
  const CarrierOrder order = sample();
  CommandLine line;
  const HostPart first = part_of(order, 0, line);
  EXPECT_EQ(first.ids, (Numbers{0, 1, 2}));
  EXPECT_EQ(first.job_size, 4u);
  EXPECT_EQ(line.apps[0].ranks, 1u);
  EXPECT_EQ(line.apps[1].ranks, 2u);
  const HostPart second = part_of(order, 1, line);
  EXPECT_EQ(second.ids, (Numbers{3}));
  EXPECT_EQ(second.node, 1u);
  EXPECT_EQ(second.nodes, 2u);
  EXPECT_EQ(line.apps[0].ranks, 0u);
  EXPECT_EQ(line.apps[1].ranks, 1u);
}

TEST(CarrierOrder, InTurn) {
  CarrierOrder order = sample();
  order.in_turn = true;
  EXPECT_EQ(nodes_of(order), (Numbers{0, 1, 0, 0}));
  CommandLine line;
  EXPECT_EQ(part_of(order, 1, line).ids, (Numbers{1}));
}

}  // namespace
}  // namespace tessera::launcher::carrier
