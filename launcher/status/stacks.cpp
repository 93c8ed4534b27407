// SPDX-License-Identifier: BSD-3-Clause
// Lets gdb(1) print the callers of each thread.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "launcher/status/stacks.h"

namespace tessera::launcher {
namespace {

bool is_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  for (std::string rest = path != nullptr ? path : ""; !rest.empty();) {
    const std::size_t end = rest.find(':');
    const std::string folder = rest.substr(0, end);
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return false;
}

void print_stacks_of(pid_t process) {
  std::string number = std::to_string(process);
  std::string words[] = {"gdb", "-q",  "-nx", "-batch", "-ex", "thread apply all backtrace",
                         "-p",  number};
  char* arguments[std::size(words) + 1] = {};
  for (std::size_t i = 0; i < std::size(words); ++i) arguments[i] = words[i].data();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t gdb = 0;
  if (posix_spawnp(&gdb, "gdb", &actions, nullptr, arguments, environ) == 0)
    waitpid(gdb, nullptr, 0);
  posix_spawn_file_actions_destroy(&actions);
}

}  // namespace

Status print_stacks(const JobSegment& segment) {
  if (!is_on_path("gdb"))
    return Status::failure(Errc::not_found,
                           "--stacks needs gdb, which is not installed (Debian package gdb)");
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    const pid_t process = segment.page(rank).pid.load(std::memory_order_acquire);
    if (process <= 0) continue;
    std::fputs(fmt::format("  stacks of rank {} (pid {}):\n", segment.id_of(rank), process).c_str(),
               stdout);
    std::fflush(stdout);
    print_stacks_of(process);
  }
  return {};
}

}  // namespace tessera::launcher
