// SPDX-License-Identifier: BSD-3-Clause
// Looks for programs and directories before an engine is asked to start them.
#include "core/dynamic/engine_programs.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "framework/text.h"

namespace tessera {
namespace {

bool is_file(const std::string& path) noexcept {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

bool is_executable(const std::string& path) noexcept {
  return is_file(path) && access(path.c_str(), X_OK) == 0;
}

std::string seen_from(const std::string& directory, const std::string& name) {
  return !name.empty() && name.front() == '/' ? name : directory + "/" + name;
}

Status cannot_start(const SpawnCommand& command, Errc code, const std::string& why) {
  char host[256] = "this host";
  (void)gethostname(host, sizeof host - 1);
  return Status::failure(code, "cannot start '" + command.program + "' on " + host + ": " + why);
}

Status check_machine(const SpawnCommand& command) {
  utsname machine{};
  if (command.arch.empty() || uname(&machine) != 0 ||
      text::equal_ignoring_case(command.arch, machine.machine))
    return {};
  return cannot_start(
      command, Errc::refused,
      "info key arch is '" + command.arch + "', this machine is '" + machine.machine + "'");
}

Status check_directory(const SpawnCommand& command, const std::string& directory) {
  struct stat facts {};
  const int error = stat(directory.c_str(), &facts) != 0 ? errno
                    : S_ISDIR(facts.st_mode)             ? 0
                                                         : ENOTDIR;
  if (error == 0) return {};
  return cannot_start(command, Errc::not_found,
                      "cannot start in '" + directory + "': " + strerror(error));
}

// A name without a slash lies in the directories of info key path, those of PATH, or here.
Result<std::string> find(const SpawnCommand& command, const std::string& directory) {
  const std::string& name = command.program;
  std::string found = seen_from(directory, name);
  if (name.find('/') == std::string::npos) {
    const char* const path = std::getenv("PATH");
    const std::string all = command.path + ":" + (path != nullptr ? path : "/bin:/usr/bin");
    for (const std::string_view part : text::split(all, ':')) {
      const std::string candidate = seen_from(directory, std::string(part)) + "/" + name;
      if (part.empty() || !is_executable(candidate)) continue;
      found = candidate;
      break;
    }
  }
  if (is_executable(found)) return found;
  if (is_file(found))
    return cannot_start(command, Errc::refused,
                        "it may not be executed: it lacks the permission (chmod +x)");
  return cannot_start(command, Errc::not_found, "there is no such program");
}

Result<boot::Program> program_of(const SpawnCommand& command, const SpawnOrder& order) {
  boot::Program program;
  program.directory =
      command.directory.empty() ? order.directory : seen_from(order.directory, command.directory);
  program.path = command.program;
  if (command.host.empty()) {
    if (Status s = check_machine(command); !s) return s;
    if (Status s = check_directory(command, program.directory); !s) return s;
    auto found = find(command, program.directory);
    if (!found.ok()) return found.status();
    program.path = std::move(*found);
  }
  program.arguments = command.arguments;
  program.environment = command.environment;
  program.environment.push_back(std::string(kParentVariable) + "=" + order.port);
  program.host = command.host;
  program.processes = command.wanted;
  return program;
}

}  // namespace

Result<std::vector<boot::Program>> engine_programs(const SpawnOrder& order) noexcept try {
  std::vector<boot::Program> programs;
  for (const SpawnCommand& command : order.commands) {
    if (command.wanted == 0) continue;
    auto program = program_of(command, order);
    if (!program.ok()) return program.status();
    programs.push_back(std::move(*program));
  }
  return programs;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

}  // namespace tessera
