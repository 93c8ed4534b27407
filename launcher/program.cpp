// SPDX-License-Identifier: BSD-3-Clause
// Finds a program and builds its arguments and environment.
#include "launcher/program.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "framework/terminal.h"
#include "framework/text.h"
#include "launcher/mpi_library.h"

namespace tessera::launcher {
namespace {

bool is_file(const std::string& path) noexcept {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

bool is_executable(const std::string& path) noexcept {
  return is_file(path) && access(path.c_str(), X_OK) == 0;
}

// Where a relative name lies when the process has changed to `directory`.
std::string seen_from(const std::string& directory, const std::string& name) {
  return directory.empty() || name[0] == '/' ? name : directory + "/" + name;
}

std::string search_path(const std::string& first, const std::string& directory,
                        const std::string& name) {
  const char* const path = getenv("PATH");
  const std::string all =
      (first.empty() ? "" : first + ":") + (path != nullptr ? path : "/bin:/usr/bin");
  for (std::string_view part : text::split(all, ':')) {
    const std::string candidate = (part.empty() ? "." : std::string(part)) + "/" + name;
    if (is_executable(seen_from(directory, candidate))) return candidate;
  }
  return {};
}

Status cannot_run(const std::string& name, const std::string& directory) {
  const std::string path = seen_from(directory, name);
  if (is_file(path)) {
    return Status::failure(
        Errc::refused, "'" + path + "' may not be executed: it lacks the permission (chmod +x)");
  }
  const bool plain = name.find('/') == std::string::npos;
  return Status::failure(Errc::not_found,
                         "there is no program '" + name + "'" +
                             (plain ? " on the PATH or in the current directory" : "") +
                             (directory.empty() ? "" : ", seen from '" + directory + "'"));
}

// As a shell would find it; a plain name is also looked for in the current directory.
Result<std::string> find_program(const App& app) {
  const std::string& name = app.words.front();
  const std::string& directory = app.directory;
  const bool plain = name.find('/') == std::string::npos;
  std::string found = plain ? search_path(app.search_path, directory, name) : name;
  if (found.empty()) found = "./" + name;
  if (!is_executable(seen_from(directory, found))) return cannot_run(name, directory);
  return found;
}

Status check_directory(const std::string& directory) {
  struct stat facts {};
  if (directory.empty()) return {};
  if (stat(directory.c_str(), &facts) == 0) {
    if (S_ISDIR(facts.st_mode)) return {};
    errno = ENOTDIR;
  }
  return Status::failure(Errc::argument, "cannot start in '" + directory + "': " + strerror(errno));
}

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether a variable of mpiexec is passed on.
bool passes(std::string_view name, const EnvironmentRules& job, const EnvironmentRules& own) {
  using Base = EnvironmentRules::Base;
  const EnvironmentRules& rules = own.base != Base::unsaid ? own : job;
  if (rules.base != Base::listed) return true;
  return contains(rules.names, name) || contains(own.names, name) || contains(job.names, name);
}

}  // namespace

Result<std::unique_ptr<Program>> Program::prepare(const App& app, const EnvironmentRules& job) {
  if (const Status status = check_directory(app.directory); !status.ok()) return status;
  auto path = find_program(app);
  if (!path.ok()) return path.status();
  std::unique_ptr<Program> program(new Program());
  program->path_ = path.value();
  program->directory_ = app.directory;
  program->make_arguments(app);
  program->make_environment(job, app.environment);
  program->help_to_find_library();
  return program;
}

void Program::make_arguments(const App& app) {
  static char shell[] = "/bin/sh";
  words_ = app.words;
  script_arguments_ = {shell, path_.data()};
  for (std::string& word : words_) arguments_.push_back(word.data());
  script_arguments_.insert(script_arguments_.end(), arguments_.begin() + 1, arguments_.end());
  arguments_.push_back(nullptr);
  script_arguments_.push_back(nullptr);
}

void Program::make_environment(const EnvironmentRules& job, const EnvironmentRules& own) {
  for (const auto& [name, value] : job.set) set_variable(name, value);
  for (const auto& [name, value] : own.set) set_variable(name, value);
  // Ranks write to a pipe, which ends at the terminal of mpiexec.
  if (const auto columns = terminal_columns(STDERR_FILENO))
    set_variable(kColumnsVariable, std::to_string(*columns));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name = name_of(*variable);
    const bool replaced =
        std::any_of(own_variables_.begin(), own_variables_.end(),
                    [name](const std::string& set) { return name_of(set) == name; });
    const bool of_other_job = name == "TESSERA_JOB" || name == "TESSERA_RANK" ||
                              name == "TESSERA_SIZE" || name == "TESSERA_PARENT" ||
                              name == "TESSERA_UNIVERSE";
    if (!replaced && !of_other_job && passes(name, job, own)) environment_.push_back(*variable);
  }
  for (std::string& variable : own_variables_) environment_.push_back(variable.data());
  common_ = environment_.size();
}

void Program::set_variable(const std::string& name, const std::string& value) {
  for (std::string& variable : own_variables_) {
    if (name_of(variable) == name) {
      variable = name + "=" + value;
      return;
    }
  }
  own_variables_.push_back(name + "=" + value);
}

// What was linked without a path to the library finds it, wherever the stubs came from with which
// it was linked: our directory is the last one on the search path.
void Program::help_to_find_library() {
  constexpr std::string_view kName = "LD_LIBRARY_PATH";
  const auto said = std::find_if(environment_.begin(), environment_.end(),
                                 [](const char* variable) { return name_of(variable) == kName; });
  const std::string_view path =
      said == environment_.end() ? "" : std::string_view(*said).substr(kName.size() + 1);
  const MpiUse use = mpi_use_of(seen_from(directory_, path_), path);
  asks_for_mpi_ = use.asks;
  other_mpi_ = use.other;
  const std::string own = use.finds_ours ? "" : own_library_directory();
  if (own.empty()) return;
  library_path_ = std::string(kName) + "=" + std::string(path) + (path.empty() ? "" : ":") + own;
  if (said == environment_.end())
    environment_.push_back(library_path_.data());
  else
    *said = library_path_.data();
  common_ = environment_.size();
}

char* const* Program::environment(const std::vector<std::string>& of_rank) {
  environment_.resize(common_);
  for (const std::string& variable : of_rank)
    environment_.push_back(const_cast<char*>(variable.c_str()));
  environment_.push_back(nullptr);
  return environment_.data();
}

}  // namespace tessera::launcher
