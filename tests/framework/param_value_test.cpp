// SPDX-License-Identifier: BSD-3-Clause
// Every type's good and bad values.
#include "framework/param_value.h"

#include <gtest/gtest.h>

#include <limits>

namespace tessera {
namespace {

ParamSpec spec_of(ParamType type, std::string allowed = {}) {
  ParamSpec spec;
  spec.name = std::string("x");
  spec.type = type;
  spec.allowed = std::move(allowed);
  return spec;
}

std::string problem(const ParamSpec& spec, std::string_view text) {
  auto value = parse_value(spec, text);
  return value ? "" : value.status().text();
}

template <class T>
T value(const ParamSpec& spec, std::string_view text) {
  auto parsed = parse_value(spec, text);
  EXPECT_TRUE(parsed.ok()) << text << " " << parsed.status().text();
  return parsed ? std::get<T>(parsed.value()) : T{};
}

TEST(ParamValue, Integers) {
  const ParamSpec spec = spec_of(ParamType::integer);
  EXPECT_EQ(value<std::int64_t>(spec, "42"), 42);
  EXPECT_EQ(value<std::int64_t>(spec, " -7 "), -7);
  EXPECT_EQ(value<std::int64_t>(spec, "+7"), 7);
  EXPECT_EQ(value<std::int64_t>(spec, "0x1F"), 31);
  EXPECT_EQ(value<std::int64_t>(spec, "010"), 8);
  EXPECT_EQ(value<std::int64_t>(spec, "0"), 0);
  EXPECT_EQ(value<std::int64_t>(spec, "-9223372036854775808"),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value<std::int64_t>(spec, "9223372036854775807"),
            std::numeric_limits<std::int64_t>::max());
  for (const char* bad :
       {"", "abc", "1x", "1.5", "--1", "+-1", "0x", "08", "1 2", "4K", "-", "0x-1"})
    EXPECT_EQ(problem(spec, bad), "is not a whole number") << bad;
  for (const char* bad : {"9223372036854775808", "-9223372036854775809", "99999999999999999999999"})
    EXPECT_EQ(problem(spec, bad), "is out of range") << bad;
}

TEST(ParamValue, Ranges) {
  const ParamSpec both = spec_of(ParamType::integer, "-5..10");
  EXPECT_EQ(problem(both, "-5"), "");
  EXPECT_EQ(problem(both, "10"), "");
  EXPECT_EQ(problem(both, "-6"), "is too small");
  EXPECT_EQ(problem(both, "11"), "is too large");
  EXPECT_EQ(problem(spec_of(ParamType::integer, "1.."), "0"), "is too small");
  EXPECT_EQ(problem(spec_of(ParamType::integer, "1.."), "1000000"), "");
  EXPECT_EQ(problem(spec_of(ParamType::integer, "..1"), "2"), "is too large");
  EXPECT_EQ(problem(spec_of(ParamType::size, "1K..1M"), "1023"), "is too small");
  EXPECT_EQ(problem(spec_of(ParamType::size, "1K..1M"), "1M"), "");
  EXPECT_EQ(problem(spec_of(ParamType::real, "0..1"), "1.01"), "is too large");
}

TEST(ParamValue, Sizes) {
  const ParamSpec spec = spec_of(ParamType::size);
  EXPECT_EQ(value<std::uint64_t>(spec, "0"), 0u);
  EXPECT_EQ(value<std::uint64_t>(spec, "4K"), 4096u);
  EXPECT_EQ(value<std::uint64_t>(spec, "3m"), 3u << 20);
  EXPECT_EQ(value<std::uint64_t>(spec, "3G"), std::uint64_t{3} << 30);
  EXPECT_EQ(value<std::uint64_t>(spec, "18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(problem(spec, "-5"), "is negative");
  EXPECT_EQ(problem(spec, "18446744073709551616"), "is out of range");
  EXPECT_EQ(problem(spec, "17179869184G"), "is out of range");
  for (const char* bad : {"", "K", "1KK", "1T", "4 K", "1.5K", "4KB", "x"})
    EXPECT_NE(problem(spec, bad), "") << bad;
}

TEST(ParamValue, Reals) {
  const ParamSpec spec = spec_of(ParamType::real);
  EXPECT_DOUBLE_EQ(value<double>(spec, "-1.5e3"), -1500);
  for (const char* bad : {"", "nan", "inf", "1,5", "1e999", "1.0x"})
    EXPECT_NE(problem(spec, bad), "") << bad;
}

TEST(ParamValue, Booleans) {
  const ParamSpec spec = spec_of(ParamType::boolean);
  for (const char* yes : {"true", "YES", "On", "1"}) EXPECT_TRUE(value<bool>(spec, yes));
  for (const char* no : {"false", "No", "OFF", "0"}) EXPECT_FALSE(value<bool>(spec, no));
  for (const char* bad : {"", "maybe", "2", "t", "-1"})
    EXPECT_EQ(problem(spec, bad), "is neither true nor false");
}

TEST(ParamValue, WordsAndLists) {
  const ParamSpec word = spec_of(ParamType::text, "spin,yield,sleep");
  EXPECT_EQ(value<std::string>(word, "yield"), "yield");
  EXPECT_EQ(problem(word, "yeild"), "is not an allowed value (did you mean 'yield'?)");
  EXPECT_EQ(value<std::string>(spec_of(ParamType::text), " any thing "), " any thing ");
  const ParamSpec list = spec_of(ParamType::list, "a,b,c");
  EXPECT_EQ(value<std::string>(list, "a, c"), "a, c");
  EXPECT_EQ(value<std::string>(list, ""), "");
  EXPECT_NE(problem(list, "a,d"), "");
}

TEST(ParamValue, SaysWhatIsAllowed) {
  EXPECT_EQ(describe_allowed(spec_of(ParamType::integer, "0..9")), "an integer, 0..9");
  EXPECT_EQ(describe_allowed(spec_of(ParamType::text, "a,b")), "one of: a, b");
  EXPECT_EQ(describe_allowed(spec_of(ParamType::text)), "any text");
  EXPECT_EQ(describe_allowed(spec_of(ParamType::boolean)), "true or false (yes/no, on/off, 1/0)");
}

TEST(ParamValue, UnsoundDeclarationsAreFound) {
  ParamSpec spec = spec_of(ParamType::integer, "1..10");
  spec.default_text = std::string("5");
  EXPECT_TRUE(read_default(spec).ok());
  spec.default_text = std::string("50");
  EXPECT_FALSE(read_default(spec).ok());
  spec.default_text = std::string("5");
  spec.allowed = std::string("one..ten");
  EXPECT_FALSE(read_default(spec).ok());
  spec.allowed = std::string("");
  spec.level = 10;
  EXPECT_FALSE(read_default(spec).ok());
}

TEST(ParamValue, TypeNamesGoBothWays) {
  for (ParamType type : {ParamType::integer, ParamType::size, ParamType::real, ParamType::boolean,
                         ParamType::text, ParamType::list})
    EXPECT_EQ(type_from_name(type_name(type)), type);
  EXPECT_FALSE(type_from_name("int").has_value());
}

}  // namespace
}  // namespace tessera
