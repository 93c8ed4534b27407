// SPDX-License-Identifier: BSD-3-Clause
// Reads from /proc who descends from whom, and who has the job segment in its memory.
#include "launcher/behind.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

namespace tessera::launcher {
namespace {

struct ProcessState {
  char state = 'X';
  pid_t parent = 0;
};

ProcessState state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  ProcessState state;
  const std::size_t name_end = text.rfind(')');
  if (name_end != std::string::npos)
    std::sscanf(text.c_str() + name_end + 1, " %c %d", &state.state, &state.parent);
  return state;
}

bool has_ended(char state) noexcept {
  return state == 'Z' || state == 'X';
}

using Parents = std::map<pid_t, pid_t>;

Parents read_parents() {
  Parents parents;
  DIR* const processes = opendir("/proc");
  if (processes == nullptr) return parents;
  while (const dirent* entry = readdir(processes)) {
    const pid_t process = std::atoi(entry->d_name);
    const ProcessState state = process > 0 ? state_of(process) : ProcessState{};
    if (!has_ended(state.state)) parents.emplace(process, state.parent);
  }
  closedir(processes);
  return parents;
}

// The child of this process from which `process` descends, or which it is; 0: it is no descendant.
pid_t branch_of(pid_t process, const Parents& parents) {
  const pid_t me = getpid();
  for (std::size_t steps = 0; steps <= parents.size(); ++steps) {
    const auto found = parents.find(process);
    if (found == parents.end()) return 0;
    if (found->second == me) return process;
    process = found->second;
  }
  return 0;
}

// By the number of the file: "7f.. rw-s 00000000 00:01 1234   /memfd:name (deleted)".
bool maps_file(pid_t process, const std::string& number) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  if (!maps) return true;
  bool any = false;
  for (std::string line; std::getline(maps, line); any = true)
    if (line.find(" " + number + " ") != std::string::npos) return true;
  return !any && !has_ended(state_of(process).state);  // another user's shows nothing
}

}  // namespace

bool is_running(pid_t process) noexcept {
  return process > 0 && !has_ended(state_of(process).state);
}

pid_t parent_of(pid_t process) {
  return state_of(process).parent;
}

bool has_segment_behind(pid_t started, int segment,
                        const std::function<bool(pid_t)>& stands_for_rank) {
  struct stat facts {};
  const Parents parents = read_parents();
  if (parents.empty() || fstat(segment, &facts) != 0) return true;
  const std::string number = std::to_string(facts.st_ino);
  for (const auto& [process, parent] : parents) {
    const pid_t branch = branch_of(process, parents);
    const bool concerned = branch == started || (branch != 0 && !stands_for_rank(branch));
    if (concerned && maps_file(process, number)) return true;
  }
  return false;
}

}  // namespace tessera::launcher
