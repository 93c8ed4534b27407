// SPDX-License-Identifier: BSD-3-Clause
// Words for env(1).
#include "launcher/across/environment.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

namespace tessera::launcher::across {
namespace {

std::string_view name_of(std::string_view variable) noexcept {
  return variable.substr(0, variable.find('='));
}

// Says who a process is, in this job or in that of an engine.
bool is_identity(std::string_view name) noexcept {
  constexpr std::string_view kNames[] = {"TESSERA_JOB",    "TESSERA_RANK", "TESSERA_SIZE",
                                         "TESSERA_PARENT", "PMIX_RANK",    "PMIX_NAMESPACE",
                                         "MPIEXEC_TIMEOUT"};
  constexpr std::string_view kBegins[] = {"PMI_", "PMIX_SERVER_", "OMPI_COMM_WORLD_"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kBegins), std::end(kBegins),
                     [name](std::string_view begin) { return name.starts_with(begin); });
}

// About the machine or the shell of mpiexec, or an engine's own.
bool stays_here(std::string_view name) noexcept {
  constexpr std::string_view kNames[] = {"_", "PWD", "OLDPWD", "SHLVL", "HOSTNAME", "TMPDIR"};
  constexpr std::string_view kBegins[] = {"SLURM_", "OMPI_", "PMIX_", "PRTE_", "HYDRA_", "SSH_"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kBegins), std::end(kBegins),
                     [name](std::string_view begin) { return name.starts_with(begin); });
}

bool is_word(std::string_view name) noexcept {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

}  // namespace

std::vector<std::string> for_engine(const char* const* own) {
  std::vector<std::string> variables;
  for (; *own != nullptr; ++own)
    if (!is_identity(name_of(*own))) variables.emplace_back(*own);
  return variables;
}

std::vector<std::string> words_of_env(const std::string& directory,
                                      const std::vector<std::string>& engine,
                                      const char* const* wanted,
                                      const std::vector<std::string>& parameters) {
  std::vector<std::string> words = {"/usr/bin/env"};
  if (!directory.empty()) words.insert(words.end(), {"-C", directory});
  std::unordered_set<std::string_view> names, same(engine.begin(), engine.end());
  std::vector<std::string> set;
  for (; *wanted != nullptr; ++wanted) {
    if (is_identity(name_of(*wanted))) continue;
    names.insert(name_of(*wanted));
    if (!same.contains(*wanted)) set.emplace_back(*wanted);
  }
  for (const std::string& variable : engine)
    if (!names.contains(name_of(variable)) && !name_of(variable).starts_with("SLURM_"))
      words.insert(words.end(), {"-u", std::string(name_of(variable))});
  words.insert(words.end(), set.begin(), set.end());
  words.insert(words.end(), parameters.begin(), parameters.end());
  return words;
}

std::vector<std::string> names_to_export(const std::vector<std::string>& engine,
                                         const char* const* wanted) {
  const std::unordered_set<std::string_view> same(engine.begin(), engine.end());
  std::vector<std::string> names;
  for (; *wanted != nullptr; ++wanted) {
    const std::string_view name = name_of(*wanted);
    if (same.contains(*wanted) && is_word(name) && !stays_here(name)) names.emplace_back(name);
  }
  return names;
}

}  // namespace tessera::launcher::across
