// SPDX-License-Identifier: BSD-3-Clause
// tessera-contract-test: does a component keep the contract of its framework?
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "subject.h"

namespace tessera::contract {

namespace {

constexpr unsigned kTimeLimitSeconds =
    600;  // the whole suite; a hang ends here if the caller sets no limit
constexpr const char* kUsage =
    "usage: tessera-contract-test FRAMEWORK FILE.so [--over FILE.so] [--set PARAMETER=VALUE]... "
    "[GoogleTest options]\n"
    "Runs the contract suite of a framework (btl, coll, io, op, osc, pml or topo) on one component "
    "file.\n"
    "  --over FILE.so         for an interposer: the component to stand in front of (default: the "
    "shipped sm, ob1 or posix)\n"
    "  --btl NAME             for osc: the shipped transport that it stands on (default: sm; self: "
    "one process)\n"
    "  --at DIRECTORY         for io: where to make files, if need be with a prefix "
    "(store:/bucket)\n"
    "  --set PARAMETER=VALUE  a parameter of the component under test, by its short name\n"
    "Exit status: 0 the contract is kept, 1 it is not, 2 the file cannot be tested.\n";

struct Arguments {
  std::string framework, file, over, at, btl;
  std::vector<std::string> settings;
};

// Empty when it is not one that can be tested.
std::string suite_prefix(const std::string& framework) {
  for (const char* known : {"btl", "coll", "io", "op", "osc", "pml", "topo"}) {
    if (framework != known) continue;
    std::string prefix = framework;
    prefix[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(prefix[0])));
    return prefix;
  }
  return {};
}

Arguments parse(const std::vector<std::string>& words) {
  if (words.size() < 2) throw std::invalid_argument("a framework and a file are needed");
  Arguments arguments{words[0], words[1], {}, {}, {}, {}};
  if (suite_prefix(words[0]).empty())
    throw std::invalid_argument("there is no suite for framework '" + words[0] +
                                "'; there are: btl, coll, io, op, osc, pml, topo");
  for (std::size_t i = 2; i < words.size(); i += 2) {
    if (words[i] != "--set" && words[i] != "--over" && words[i] != "--at" && words[i] != "--btl")
      throw std::invalid_argument("unknown argument '" + words[i] + "'");
    if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " needs a value");
    if (words[i] == "--over") arguments.over = words[i + 1];
    if (words[i] == "--btl") arguments.btl = words[i + 1];
    if (words[i] == "--at") arguments.at = words[i + 1];
    if (words[i] == "--set") arguments.settings.push_back(words[i + 1]);
  }
  return arguments;
}

void set_parameter(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    throw std::invalid_argument("--set wants PARAMETER=VALUE, got '" + assignment + "'");
  plugin().params().set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

// Whether a filter is for one of the framework's tests: "CollBarrier.*", or "All/CollSchedules.*"
// for those with parameters.
bool selects(const std::string& filter, const std::string& prefix) {
  const std::size_t at = filter.find(prefix);
  return at == 0 || (at != std::string::npos && filter[at - 1] == '/');
}

// Every test belongs to a framework by the beginning of its suite's name.
void select_tests(const std::string& framework) {
  const std::string prefix = suite_prefix(framework);
  const std::string given = GTEST_FLAG_GET(filter);
  if (given != "*" && !selects(given, prefix))
    throw std::invalid_argument("the tests of " + framework + " are called " + prefix +
                                "...; --gtest_filter=" + given + " would not run them");
  if (given == "*") GTEST_FLAG_SET(filter, prefix + "*:*/" + prefix + "*");
}

int run(const std::vector<std::string>& words) {
  const Arguments arguments = parse(words);
  select_tests(arguments.framework);
  load_subject(arguments.framework, arguments.file, arguments.over);
  if (arguments.framework == "osc") load_transports(arguments.btl);
  set_place_of_files(arguments.at);
  for (const std::string& assignment : arguments.settings) set_parameter(assignment);
  alarm(kTimeLimitSeconds);
  return RUN_ALL_TESTS();
}

}  // namespace

}  // namespace tessera::contract

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);  // takes its own options out
  try {
    return tessera::contract::run({argv + 1, argv + argc});
  } catch (const std::invalid_argument& mistake) {
    std::fprintf(stderr, "tessera-contract-test: %s\n%s", mistake.what(),
                 tessera::contract::kUsage);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tessera-contract-test: %s\n", failure.what());
  }
  return 2;
}
