// SPDX-License-Identifier: BSD-3-Clause
// --check: the program runs with everything on that finds its mistakes.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "launcher/mpi_library.h"
#include "launcher/options/parts.h"

namespace tessera::launcher {
namespace {

constexpr std::string_view kLibrary = "libtessera-check.so";

// NAME=FIRST:SECOND in place of what the variable was, either part of which may be empty.
void set_search_path(EnvironmentRules& rules, const char* name, const std::string& first,
                     const std::string& second) {
  rules.set.emplace_back(name, first + (first.empty() || second.empty() ? "" : ":") + second);
}

std::string value_now(const char* name) {
  const char* const value = getenv(name);
  return value != nullptr ? value : "";
}

// LD_PRELOAD ends a name at a space, LD_LIBRARY_PATH does not.
void preload(EnvironmentRules& rules, const std::string& directory) {
  const bool nameable = directory.find(' ') == std::string::npos;
  const std::string name = (nameable ? directory + "/" : "") + std::string(kLibrary);
  set_search_path(rules, "LD_PRELOAD", name, value_now("LD_PRELOAD"));
  if (!nameable) set_search_path(rules, "LD_LIBRARY_PATH", value_now("LD_LIBRARY_PATH"), directory);
}

}  // namespace

Status check(const OptionUse& use) {
  if (use.line.checks) return {};
  const std::string directory = library_directory();
  const std::string library = directory + "/" + std::string(kLibrary);
  if (access(library.c_str(), R_OK) != 0)
    return bad_value(use, "'" + library + "' is missing; is the installation complete?");
  preload(use.line.environment, directory);
  use.line.checks = true;
  return {};
}

void set_checking_params(CommandLine& line) {
  if (!line.checks) return;
  auto& params = line.params;
  for (const std::string_view name : {"coll_check", "osc_check", "pml_ob1_check"}) {
    const bool said = std::any_of(params.begin(), params.end(),
                                  [name](const auto& param) { return param.first == name; });
    if (!said) params.emplace_back(name, "true");
  }
}

}  // namespace tessera::launcher
