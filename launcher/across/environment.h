// SPDX-License-Identifier: BSD-3-Clause
// How variables get to ranks on other hosts.
#pragma once
//
// Contract. Pure functions. An engine gives ranks the variables that its own process has, those
// that it is told to pass on, or none; env(1) in front of each program makes the rest true, and
// changes the directory. The variables by which engines tell a process who it is are never passed
// on: they would be those of mpiexec.
//
#include <string>
#include <string_view>
#include <vector>

namespace tessera::launcher::across {

// The environment of the engine's process, from that of mpiexec.
std::vector<std::string> for_engine(const char* const* own);

// Words that begin a rank's command: env(1), the directory, what is unset and set. `engine` is what
// for_engine() gave, `wanted` the environment of a rank as on this machine, `parameters` come last.
std::vector<std::string> words_of_env(const std::string& directory,
                                      const std::vector<std::string>& engine,
                                      const char* const* wanted,
                                      const std::vector<std::string>& parameters);

// Names of the variables in `wanted` that stand so in `engine` and mean something on other hosts.
std::vector<std::string> names_to_export(const std::vector<std::string>& engine,
                                         const char* const* wanted);

}  // namespace tessera::launcher::across
