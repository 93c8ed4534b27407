// SPDX-License-Identifier: BSD-3-Clause
// Writes a file of rules as C++ constants, so that no process has to read it: rules_to_code FILE
// NAME > OUT.cpp
#include <fmt/format.h>

#include <cstdio>

#include "core/coll/rules_file.h"

namespace {

using namespace tessera::coll;

std::string only(Rule::Only value) {
  constexpr const char* kNames[] = {"any", "yes", "no"};
  return std::string("Rule::Only::") + kNames[static_cast<int>(value)];
}

template <class T>
std::string range(const Rule::Range<T>& range) {
  return fmt::format("{{{}, {}}}", range.least, range.most);
}

std::string code(const RuleLine& line) {
  const Rule& rule = line.rule;
  return fmt::format(
      "    {{Operation::{}, \"{}\", \"{}\", \"built-in rule, {}\", {{.commutative = {}, "
      ".oversubscribed = {}, .processes = {}, .nodes = {}, .per_node = {}, .bytes = {}, "
      ".tuning = {{{}, {}}}}}}},\n",
      name(line.operation), line.component, line.algorithm, line.where, only(rule.commutative),
      only(rule.oversubscribed), range(rule.processes), range(rule.nodes), range(rule.per_node),
      range(rule.bytes), rule.tuning.segment, rule.tuning.radix);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: rules_to_code FILE NAME\n");
    return 2;
  }
  auto lines = read_rules(argv[1], {});
  if (!lines.ok()) {
    fmt::print(stderr, "{}\n", lines.status().text());
    return 1;
  }
  fmt::print(stdout,
             "// Made by the build from {}.\n#include \"core/coll/builtin_rules.h\"\n\nnamespace "
             "tessera::coll {{\n",
             argv[2]);
  fmt::print(stdout, "static constexpr BuiltinRule kRules[] = {{\n");
  for (RuleLine& line : *lines) {
    line.where = std::string(argv[2]) + line.where.substr(line.where.rfind(':'));
    fmt::print(stdout, "{}", code(line));
  }
  fmt::print(stdout, "}};\nconst std::span<const BuiltinRule> kBuiltinRules(kRules);\n}}\n");
  return 0;
}
