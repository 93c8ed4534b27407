// SPDX-License-Identifier: BSD-3-Clause
// tessera-contract-test: does a component keep the contract of its framework?
//
//   tessera-contract-test btl FILE.so [--set PARAMETER=VALUE]... [GoogleTest options]
//
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "btl_world.h"
#include "plugin.h"

namespace tessera::contract {

namespace {

constexpr unsigned kTimeLimitSeconds = 600;  // the whole suite; a hang ends here if the caller sets no limit
std::unique_ptr<Plugin> loaded;

int usage() {
  std::fputs(
      "usage: tessera-contract-test btl FILE.so [--set PARAMETER=VALUE]... [GoogleTest options]\n"
      "Runs the contract suite of a framework on one component file. The frameworks with a suite: btl.\n",
      stderr);
  return 2;
}

void set_parameter(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    throw std::runtime_error("--set wants PARAMETER=VALUE, got '" + assignment + "'");
  loaded->params().set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[0] != "btl") return usage();
  loaded = std::make_unique<Plugin>(arguments[0], arguments[1]);
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i] != "--set" || i + 1 == arguments.size()) return usage();
    set_parameter(arguments[++i]);
  }
  alarm(kTimeLimitSeconds);
  return RUN_ALL_TESTS();
}

}  // namespace

Plugin& plugin() {
  return *loaded;
}
bool reaches_self() {
  return loaded->fact("reach") == "self";
}

}  // namespace tessera::contract

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);  // takes its own options out
  try {
    return tessera::contract::run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tessera-contract-test: %s\n", failure.what());
    return 2;
  }
}
