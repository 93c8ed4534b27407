// SPDX-License-Identifier: BSD-3-Clause
// Rules for collective operations: what a file may say, what its mistakes are told, and which calls
// a rule admits.
#include <gtest/gtest.h>

#include "core/coll/rules_file.h"
#include "tests/coll/cases.h"

namespace tessera::coll::test {
namespace {

using enum Operation;

std::vector<RuleLine> parsed(const std::string& text) {
  auto lines = parse_rules("f.yaml", text, {});
  EXPECT_TRUE(lines.ok()) << lines.status().text();
  return lines.ok() ? *lines : std::vector<RuleLine>();
}

std::string complaint(const std::string& text, const RuleJudge& judge = {}) {
  const auto lines = parse_rules("f.yaml", text, judge);
  return lines.ok() ? "nothing wrong" : lines.status().text();
}

TEST(RulesFile, ReadsConditionsAndChoices) {
  const auto lines = parsed(
      "allreduce:\n"
      "  - {component: sm, bytes: ..32K, oversubscribed: no}\n"
      "  - {algorithm: ring, processes: 3.., bytes: 1M..2M, commutative: yes, segment: 64K, radix: "
      "4}\n"
      "barrier:\n"
      "  - algorithm: linear\n"
      "    processes: 2\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].component, "sm");
  EXPECT_EQ(lines[0].rule.bytes.least, 0);
  EXPECT_EQ(lines[0].rule.bytes.most, 32 << 10);
  EXPECT_EQ(lines[0].rule.oversubscribed, Rule::Only::no);
  EXPECT_EQ(lines[1].component, "basic");
  EXPECT_EQ(lines[1].algorithm, "ring");
  EXPECT_EQ(lines[1].where, "f.yaml:3");
  EXPECT_EQ(lines[1].rule.processes.least, 3);
  EXPECT_EQ(lines[1].rule.processes.most, std::numeric_limits<int>::max());
  EXPECT_EQ(lines[1].rule.bytes.least, 1 << 20);
  EXPECT_EQ(lines[1].rule.tuning.segment, 64 << 10);
  EXPECT_EQ(lines[1].rule.tuning.radix, 4);
  EXPECT_EQ(lines[1].rule.commutative, Rule::Only::yes);
  EXPECT_EQ(lines[2].operation, barrier);
  EXPECT_EQ(lines[2].rule.processes.most, 2);
}

TEST(RulesFile, MayBeEmpty) {
  EXPECT_TRUE(parsed("").empty());
  EXPECT_TRUE(parsed("# nothing\n").empty());
}

TEST(RulesFile, SaysWhereAndWhatIsWrong) {
  const auto expect = [](const char* text, const char* what) {
    EXPECT_NE(complaint(text).find(what), std::string::npos) << complaint(text);
  };
  expect("alreduce:\n  - {algorithm: ring}\n",
         "f.yaml:1: there is no operation 'alreduce' (did you mean 'allreduce'?)");
  expect("bcast:\n  - {algoritm: ring}\n",
         "f.yaml:2: there is no key 'algoritm' (did you mean 'algorithm'?)");
  expect("bcast:\n  - {bytes: many}\n",
         "f.yaml:2: bytes: 'many' is not a range such as 8, 2..8, ..64K or 64K..");
  expect("bcast:\n  - {processes: 8K}\n",
         "f.yaml:2: processes: '8K' is not a range such as 8, 2..8, ..8 or 8..");
  expect("bcast:\n  - {bytes: 2M..1M}\n",
         "f.yaml:2: bytes: '2M..1M' holds no number; the smaller end comes first");
  expect("bcast:\n  - {bytes: ..}\n", "is not a range");
  expect("bcast:\n  - {bytes: 99999999999999999999}\n", "is not a range");
  expect("bcast:\n  - {bytes: 9999999999G}\n", "is not a range");
  expect("bcast:\n  - {oversubscribed: maybe}\n",
         "f.yaml:2: oversubscribed: 'maybe' is neither yes nor no");
  expect("gather:\n  - {algorithm: linear, contiguous: yes}\n",
         "f.yaml:2: 'contiguous' is no condition: processes may describe the data");
  expect("bcast:\n  - {segment: 0}\n",
         "f.yaml:2: segment: '0' is not a number of bytes such as 64K");
  expect("bcast:\n  - {radix: -1}\n", "f.yaml:2: radix: '-1' is not a positive number");
  expect("bcast:\n  - {radix: 2, radix: 3}\n", "f.yaml:2: 'radix' stands there twice");
  expect("bcast:\n  - ring\n", "f.yaml:2: a rule is a map such as");
  expect("bcast: ring\n", "f.yaml:1: what follows bcast must be a list of rules");
  expect("- bcast\n", "f.yaml:1: the file must be a map");
  expect("bcast:\n  - {algorithm: [ring]}\n", "f.yaml:2: algorithm must be a plain value");
  expect("bcast:\n  - {algorithm: ring\n", "f.yaml:");
}

TEST(RulesFile, AsksWhoKnowsTheNames) {
  const RuleJudge judge = [](const RuleLine& line) {
    return line.algorithm == "ring" ? "" : "no such thing";
  };
  EXPECT_EQ(complaint("bcast:\n  - {algorithm: ring}\n", judge), "nothing wrong");
  EXPECT_EQ(complaint("bcast:\n\n  - {algorithm: rink}\n", judge), "f.yaml:3: no such thing");
}

TEST(RulesFile, MustBeThere) {
  const auto lines = read_rules("/nowhere/rules.yaml", {});
  ASSERT_FALSE(lines.ok());
  EXPECT_EQ(lines.status().code(), Errc::not_found);
  EXPECT_NE(std::string(lines.status().text()).find("cannot read '/nowhere/rules.yaml'"),
            std::string::npos);
}

Call call_of(int size, Count count, const Op& op) {
  return make_processes({.operation = allreduce, .size = size, .count = count}, &op).front().call;
}

std::string elements(Count count) {
  return std::to_string(count * dense_element().size());
}

TEST(Rule, AdmitsWhatLiesInAllItsRanges) {
  const ModelOp sum(true), ordered(false);
  const Rule rule =
      parsed("allreduce:\n  - {component: sm, processes: 2..4, bytes: " + elements(1) + ".." +
             elements(4) +
             ", commutative: yes,"
             " nodes: 1, per_node: ..4, oversubscribed: no}\n")[0]
          .rule;
  const Layout layout{.nodes = 1, .per_node = 4};
  const auto admits = [&](const Call& call, const Layout& where) {
    return rule.admits(call, where);
  };
  EXPECT_TRUE(admits(call_of(4, 1, sum), layout));
  EXPECT_TRUE(admits(call_of(2, 4, sum), layout));
  EXPECT_FALSE(admits(call_of(5, 1, sum), layout));
  EXPECT_FALSE(admits(call_of(4, 5, sum), layout));
  EXPECT_FALSE(admits(call_of(4, 0, sum), layout));
  EXPECT_FALSE(admits(call_of(4, 1, ordered), layout));
  EXPECT_FALSE(admits(call_of(4, 1, sum), {.nodes = 2, .per_node = 2}));
  EXPECT_FALSE(admits(call_of(4, 1, sum), {.nodes = 1, .per_node = 5}));
  EXPECT_FALSE(admits(call_of(4, 1, sum), {.nodes = 1, .per_node = 4, .oversubscribed = true}));
}

TEST(Rules, TheFirstThatAdmitsCounts) {
  const ModelOp sum(true);
  const RuleSet rules(parsed("allreduce:\n  - {component: sm, bytes: .." + elements(1) +
                             "}\n  - {algorithm: ring}\n"
                             "  - {component: sm}\n"));
  const int sm = rules.component("sm"), basic = rules.component("basic");
  EXPECT_NE(rules.chosen(sm, call_of(2, 1, sum), {}), nullptr);
  EXPECT_EQ(rules.chosen(basic, call_of(2, 1, sum), {}), nullptr);
  EXPECT_EQ(rules.chosen(sm, call_of(2, 2, sum), {}), nullptr);
  EXPECT_STREQ(rules.chosen(basic, call_of(2, 2, sum), {})->algorithm, "ring");
  EXPECT_EQ(rules.component("tuned"), Rules::kNobody);
}

// Every call finds an algorithm, whatever its size.
TEST(Rules, TheShippedOnesEndWithOneForAll) {
  std::array<const RuleLine*, kOperations> last{};
  const auto lines = builtin_rules();
  for (const RuleLine& line : lines) last[static_cast<std::size_t>(line.operation)] = &line;
  CallSignature largest{Call{}};
  largest.amount = std::numeric_limits<Count>::max();
  for (std::size_t i = 0; i < kOperations; ++i) {
    ASSERT_NE(last[i], nullptr) << kOperationNames[i];
    EXPECT_EQ(last[i]->component, "basic") << kOperationNames[i];
    EXPECT_TRUE(last[i]->rule.admits(largest, {.nodes = 1 << 20})) << kOperationNames[i];
  }
}

}  // namespace
}  // namespace tessera::coll::test
