// SPDX-License-Identifier: BSD-3-Clause
// Values, node maps and lines of PMI-1.
#include <gtest/gtest.h>

#include <numeric>

#include "components/boot/pmi/mapping.h"
#include "components/boot/pmi/value.h"
#include "components/boot/pmi/wire.h"

namespace tessera::boot::pmi {
namespace {

using Nodes = std::vector<std::uint32_t>;

std::vector<std::byte> bytes_of(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 37 + (i >> 8));
  return bytes;
}

std::string all(const std::vector<std::string>& pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), std::string());
}

TEST(PmiValue, EverySizeComesBack) {
  for (const std::size_t count : {0, 1, 2, 3, 4, 100, 4096, 70000}) {
    const auto value = bytes_of(count);
    for (const std::size_t piece : {64, 700, 1023}) {
      const auto pieces = split(value, piece);
      EXPECT_EQ(pieces_after(pieces.front(), piece), pieces.size() - 1);
      EXPECT_EQ(join(all(pieces)), value) << count;
    }
  }
}

TEST(PmiValue, TravelsAsLettersDigitsAndTwoSigns) {
  for (const char c : all(split(bytes_of(999), 64)))
    EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') << c;
}

// Servers have been seen to cut values and to answer that all is well.
TEST(PmiValue, DamageIsNoticed) {
  const std::string text = all(split(bytes_of(300), 1000));
  EXPECT_FALSE(join(text.substr(0, text.size() - 1)));
  EXPECT_FALSE(join(text.substr(0, 10)));
  EXPECT_FALSE(join(text + "A"));
  EXPECT_FALSE(join(""));
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = other[at] == '0' ? '1' : '0';
    EXPECT_NE(join(other), join(text)) << at;
  }
  EXPECT_FALSE(pieces_after(text.substr(0, 50), 1000));
  EXPECT_FALSE(pieces_after("unknown", 1000));
}

TEST(PmiMapping, BlocksRepeatUntilAllRanksHaveANode) {
  EXPECT_EQ(parse_mapping("(vector,(0,1,1))", 3), Nodes({0, 0, 0}));
  EXPECT_EQ(parse_mapping("(vector,(0,2,2))", 4), Nodes({0, 0, 1, 1}));
  EXPECT_EQ(parse_mapping("(vector,(0,2,1))", 5), Nodes({0, 1, 0, 1, 0}));
  EXPECT_EQ(parse_mapping("(vector,(0,1,2),(1,1,1))", 3), Nodes({0, 0, 1}));
  EXPECT_EQ(parse_mapping("(vector,(0,1,4),(1,1,2),(2,2,1))", 8), Nodes({0, 0, 0, 0, 1, 1, 2, 3}));
}

TEST(PmiMapping, NodesAreNumberedAsTheyAppear) {
  EXPECT_EQ(parse_mapping("(vector,(5,1,2),(3,1,1))", 3), Nodes({0, 0, 1}));
}

TEST(PmiMapping, OtherTextIsNoMap) {
  for (const char* text : {"", "(vector)", "(vector,", "(vector,(0,1))", "(vector,(0,0,1))",
                           "(vector,(0,1,0))", "(vector,(0,1,x))", "(vector,(0,1,1)", "none"})
    EXPECT_FALSE(parse_mapping(text, 2)) << text;
}

TEST(PmiMapping, AHundredThousandRanks) {
  const auto nodes = parse_mapping("(vector,(0,1000,100))", 100'000);
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->size(), 100'000u);
  EXPECT_EQ(nodes->back(), 999u);
}

TEST(PmiLine, KeysAreWholeWords) {
  const Line line("cmd=get_result rc=-1 msg=key_x_not_found value=un known");
  EXPECT_EQ(line.command(), "get_result");
  EXPECT_EQ(line.number("rc"), -1);
  EXPECT_EQ(line.value("value"), "un known");
  EXPECT_FALSE(line.value("c"));
  EXPECT_FALSE(line.number("value"));
}

}  // namespace
}  // namespace tessera::boot::pmi
