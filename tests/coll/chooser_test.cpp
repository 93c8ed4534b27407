// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm coll/basic chooses, and what its manifest lets the user ask for.
#include <gtest/gtest.h>

#include <set>

#include "components/coll/basic/chooser.h"
#include "core/coll/rules.h"
#include "framework/manifest.h"
#include "framework/manifest_reader.h"
#include "tests/coll/cases.h"
#include "tests/coll/fake_params.h"

namespace tessera::coll::test {
namespace {

using basic::Choice;
using basic::Chooser;
using enum Operation;

Call allreduce_call(int size, Count count, const Op& op) {
  return make_processes({.operation = allreduce, .size = size, .count = count}, &op).front().call;
}

const ModelOp& commuting() {
  static const ModelOp op(true);
  return op;
}
const ModelOp& ordered() {
  static const ModelOp op(false);
  return op;
}

const Rules& shipped() {
  static const RuleSet rules(builtin_rules());
  return rules;
}

constexpr Layout kOneNode{.nodes = 1, .per_node = 4};

TEST(Choosing, GoesBySize) {
  const Chooser chooser(FakeParams(), shipped());
  const Choice small = chooser.choose(allreduce_call(4, 1, commuting()), kOneNode);
  EXPECT_STREQ(small.algorithm->name, "recursive_doubling");
  EXPECT_NE(std::string(small.rule).find("built-in rule, collectives.yaml:"), std::string::npos)
      << small.rule;
  EXPECT_STREQ(chooser.choose(allreduce_call(4, 1'000'000, commuting()), kOneNode).algorithm->name,
               "ring");
  EXPECT_STREQ(chooser.choose(allreduce_call(4, 1'000'000, ordered()), kOneNode).algorithm->name,
               "k_reduce_scatter_allgather");
}

TEST(Choosing, ObeysTheParameter) {
  const Chooser chooser(FakeParams("allreduce_algorithm", "ring"), shipped());
  const Choice choice = chooser.choose(allreduce_call(4, 1, commuting()), kOneNode);
  EXPECT_STREQ(choice.algorithm->name, "ring");
  EXPECT_STREQ(choice.rule, "coll_basic_allreduce_algorithm = ring");
}

TEST(Choosing, SaysWhyItDoesNotObey) {
  const Chooser chooser(FakeParams("allreduce_algorithm", "ring"), shipped());
  const Choice choice = chooser.choose(allreduce_call(4, 1, ordered()), kOneNode);
  EXPECT_STREQ(choice.algorithm->name, "recursive_doubling");
  EXPECT_STREQ(
      choice.rule,
      "coll_basic_allreduce_algorithm = ring needs an operation that commutes; by rule instead");
}

// Every operation is served, whatever its size.
TEST(Choosing, HasAnAnswerToEverything) {
  const Chooser chooser(FakeParams(), shipped());
  for (std::size_t i = 0; i < static_cast<std::size_t>(neighbor_allgather); ++i) {
    for (const int size : {1, 3, 16, 4096}) {
      Process process = make_processes(
          {.operation = static_cast<Operation>(i), .size = 1, .count = 1}, &ordered())[0];
      std::vector<int> counts(4096, 1 << 20);
      process.call.size = process.call.remote_size = size;
      if (process.call.receive.counts) process.call.receive.counts = counts.data();
      EXPECT_NE(chooser.choose(process.call, kOneNode).algorithm, nullptr)
          << kOperationNames[i] << " " << size;
    }
  }
}

TEST(Choosing, TakesTuningFromTheParameterOrTheRule) {
  RuleSet rules;
  RuleLine line;
  line.operation = bcast;
  line.algorithm = "chain";
  line.where = "mine.yaml:2";
  line.rule.tuning.segment = 1 << 12;
  rules.add({line});
  const Call call =
      make_processes({.operation = bcast, .size = 3, .count = 1}, nullptr).front().call;
  const Choice ruled = Chooser(FakeParams(), rules).choose(call, kOneNode);
  EXPECT_STREQ(ruled.algorithm->name, "chain");
  EXPECT_STREQ(ruled.rule, "mine.yaml:2");
  EXPECT_EQ(ruled.tuning.segment, 1 << 12);
  const Choice asked = Chooser(FakeParams("bcast_segment", "1234"), rules).choose(call, kOneNode);
  EXPECT_EQ(asked.tuning.segment, 1234);
}

TEST(Rules, NameAlgorithmsThatExist) {
  for (const RuleLine& line : builtin_rules()) {
    if (line.component == "basic") {
      EXPECT_NE(basic::find_algorithm(line.operation, line.algorithm), nullptr) << line.where;
    }
  }
}

// The parameter of each operation allows exactly its algorithms, and auto.
TEST(Manifest, ListsTheAlgorithms) {
  const NoteReading reading = ManifestReader::read_file(TESSERA_COLL_BASIC);
  ASSERT_EQ(reading.problem, "");
  Result<Manifest> manifest = Manifest::parse(reading.note);
  ASSERT_TRUE(manifest.ok()) << manifest.status().text();
  for (std::size_t i = 0; i < kOperations; ++i) {
    std::set<std::string> of_operation;
    std::string names = "auto";
    for (const basic::Algorithm* each : basic::algorithms()) {
      if (each->operation == static_cast<Operation>(i)) of_operation.insert(each->name);
    }
    for (const std::string& each : of_operation) names += "," + each;
    const std::string line =
        "param\t" + std::string(kOperationNames[i]) + "_algorithm\ttext\tauto\t" + names + "\t";
    EXPECT_NE(reading.note.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace tessera::coll::test
