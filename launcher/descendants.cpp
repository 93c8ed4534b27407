// SPDX-License-Identifier: BSD-3-Clause
// Adoption of orphans, and the end of all descendants.
#include "launcher/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/machine/small_file.h"

namespace tessera::launcher {
namespace {

constexpr int kRounds = 2500;  // of two milliseconds

// The parent from /proc/PID/stat: "PID (command) state parent ...", where the command may contain
// anything.
pid_t parent_in_proc(pid_t process) noexcept {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  const machine::SmallFile file(path);
  const char* const after_command = std::strrchr(file.text().data(), ')');
  pid_t parent = -1;
  if (after_command != nullptr) std::sscanf(after_command, ") %*c %d", &parent);
  return parent;
}

void reap_those_that_ended() noexcept {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

bool have_children() noexcept {
  return waitpid(-1, nullptr, WNOHANG) >= 0;
}

}  // namespace

void adopt_orphans() noexcept {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> children_of_this_process() {
  std::vector<pid_t> children;
  DIR* const processes = opendir("/proc");
  if (processes == nullptr) return children;
  const pid_t me = getpid();
  while (const dirent* entry = readdir(processes)) {
    const pid_t process = std::atoi(entry->d_name);
    if (process > 0 && parent_in_proc(process) == me) children.push_back(process);
  }
  closedir(processes);
  return children;
}

void kill_all_descendants() noexcept {
  const timespec pause{0, 2'000'000};
  for (int round = 0; round < kRounds && have_children(); ++round) {
    for (const pid_t child : children_of_this_process()) kill(child, SIGKILL);
    nanosleep(&pause, nullptr);
    reap_those_that_ended();
  }
}

}  // namespace tessera::launcher
