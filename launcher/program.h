// SPDX-License-Identifier: BSD-3-Clause
// One program of the job, ready for execve(2).
#pragma once
//
// Contract. prepare() resolves all that can be resolved before the first process exists: the file,
// the arguments, the environment. The arrays it makes point into the object's own strings: a
// Program is neither copied nor moved.
//
#include <memory>
#include <string>
#include <vector>

#include "launcher/command_line.h"
#include "tessera/status.h"

namespace tessera::launcher {

class Program {
 public:
  // not_found: there is no such program; refused: it may not be executed; argument: the directory
  // does not exist.
  static Result<std::unique_ptr<Program>> prepare(const App& app, const EnvironmentRules& job);

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const char* path() const noexcept { return path_.c_str(); }
  const char* directory() const noexcept {
    return directory_.empty() ? nullptr : directory_.c_str();
  }
  char* const* arguments() const noexcept { return arguments_.data(); }
  // Whether its file asks for an MPI; scripts, and what loads libraries as it runs, do not.
  bool asks_for_mpi() const noexcept { return asks_for_mpi_; }
  // The library of another MPI that it will use (MpiUse::other), or empty.
  const std::string& other_mpi() const noexcept { return other_mpi_; }
  // For a file without an interpreter line, which execve(2) does not accept: /bin/sh with the file
  // as its script.
  char* const* script_arguments() const noexcept { return script_arguments_.data(); }

  // The environment, with these variables ("NAME=value") at its end. Valid until the next call.
  char* const* environment(const std::vector<std::string>& of_rank);

 private:
  Program() = default;
  void make_arguments(const App& app);
  void make_environment(const EnvironmentRules& job, const EnvironmentRules& own);
  void set_variable(const std::string& name, const std::string& value);
  void help_to_find_library();

  std::string path_;
  std::string directory_;
  std::string other_mpi_;
  bool asks_for_mpi_ = false;
  std::vector<std::string> words_;
  std::vector<char*> arguments_;
  std::vector<char*> script_arguments_;
  std::vector<std::string> own_variables_;  // those set by options
  std::string library_path_;                // our LD_LIBRARY_PATH, where one is needed
  std::vector<char*> environment_;
  std::size_t common_ = 0;  // entries of environment_ that all ranks share
};

}  // namespace tessera::launcher
