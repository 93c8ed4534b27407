// SPDX-License-Identifier: BSD-3-Clause
// --check: the program runs with everything on that finds its mistakes.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "framework/install_paths.h"
#include "launcher/options/parts.h"

namespace tessera::launcher {
namespace {

// Beside the library of MPI itself.
std::string checking_library() {
  const std::string components = InstallPaths::detect(nullptr).system_components;
  return components.substr(0, components.rfind('/')) + "/libtessera-check.so";
}

}  // namespace

Status check(const OptionUse& use) {
  if (use.line.checks) return {};
  const std::string library = checking_library();
  if (access(library.c_str(), R_OK) != 0)
    return bad_value(use, "'" + library + "' is missing; is the installation complete?");
  const char* const before = getenv("LD_PRELOAD");
  const std::string others = before != nullptr && *before != 0 ? ":" + std::string(before) : "";
  use.line.environment.set.emplace_back("LD_PRELOAD", library + others);
  use.line.checks = true;
  return {};
}

void set_checking_params(CommandLine& line) {
  if (!line.checks) return;
  auto& params = line.params;
  for (const std::string_view name : {"coll_check", "osc_check"}) {
    const bool said = std::any_of(params.begin(), params.end(),
                                  [name](const auto& param) { return param.first == name; });
    if (!said) params.emplace_back(name, "true");
  }
}

}  // namespace tessera::launcher
