// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm coll/basic chooses, and what its manifest lets the user ask for.
#include <gtest/gtest.h>

#include "components/coll/basic/chooser.h"
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

TEST(Choosing, GoesBySize) {
  const Chooser chooser(FakeParams(), basic::builtin_rules());
  const Choice small = chooser.choose(allreduce_call(4, 1, commuting()));
  EXPECT_STREQ(small.algorithm->name, "recursive_doubling");
  EXPECT_NE(std::string(small.rule).find("built-in rule, up to"), std::string::npos) << small.rule;
  EXPECT_STREQ(chooser.choose(allreduce_call(4, 1'000'000, commuting())).algorithm->name, "ring");
  EXPECT_STREQ(chooser.choose(allreduce_call(4, 1'000'000, ordered())).algorithm->name, "recursive_doubling");
}

TEST(Choosing, ObeysTheParameter) {
  const Chooser chooser(FakeParams("allreduce_algorithm", "ring"), basic::builtin_rules());
  const Choice choice = chooser.choose(allreduce_call(4, 1, commuting()));
  EXPECT_STREQ(choice.algorithm->name, "ring");
  EXPECT_STREQ(choice.rule, "coll_basic_allreduce_algorithm = ring");
}

TEST(Choosing, SaysWhyItDoesNotObey) {
  const Chooser chooser(FakeParams("allreduce_algorithm", "ring"), basic::builtin_rules());
  const Choice choice = chooser.choose(allreduce_call(4, 1, ordered()));
  EXPECT_STREQ(choice.algorithm->name, "recursive_doubling");
  EXPECT_STREQ(choice.rule,
               "coll_basic_allreduce_algorithm = ring needs an operation that commutes; by size instead");
}

// Every operation is served, whatever its size.
TEST(Choosing, HasAnAnswerToEverything) {
  const Chooser chooser(FakeParams(), basic::builtin_rules());
  for (std::size_t i = 0; i < static_cast<std::size_t>(neighbor_allgather); ++i) {
    for (const int size : {1, 3, 16, 4096}) {
      Process process =
          make_processes({.operation = static_cast<Operation>(i), .size = 1, .count = 1}, &ordered())[0];
      std::vector<int> counts(4096, 1 << 20);
      process.call.size = process.call.remote_size = size;
      if (process.call.receive.counts) process.call.receive.counts = counts.data();
      EXPECT_NE(chooser.choose(process.call).algorithm, nullptr) << kOperationNames[i] << " " << size;
    }
  }
}

TEST(Rules, NameAlgorithmsThatExist) {
  for (const basic::Rule& rule : basic::builtin_rules()) {
    bool found = false;
    for (const basic::Algorithm& each : basic::algorithms()) {
      found = found || (each.operation == rule.operation && std::string(each.name) == rule.algorithm);
    }
    EXPECT_TRUE(found) << name(rule.operation) << ": " << rule.algorithm;
  }
}

// The parameter of each operation allows exactly its algorithms, and auto.
TEST(Manifest, ListsTheAlgorithms) {
  const NoteReading reading = ManifestReader::read_file(TESSERA_COLL_BASIC);
  ASSERT_EQ(reading.problem, "");
  Result<Manifest> manifest = Manifest::parse(reading.note);
  ASSERT_TRUE(manifest.ok()) << manifest.status().text();
  for (std::size_t i = 0; i < kOperations; ++i) {
    std::string names = "auto";
    for (const basic::Algorithm& each : basic::algorithms()) {
      if (each.operation == static_cast<Operation>(i)) names += std::string(",") + each.name;
    }
    const std::string line =
        "param\t" + std::string(kOperationNames[i]) + "_algorithm\ttext\tauto\t" + names + "\t";
    EXPECT_NE(reading.note.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace tessera::coll::test
