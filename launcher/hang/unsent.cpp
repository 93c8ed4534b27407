// SPDX-License-Identifier: BSD-3-Clause
// The queues of TCP sockets as /proc/PID/net shows them, by the inodes that a process holds.
#include "launcher/hang/unsent.h"

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace tessera::launcher {
namespace {

// False: the descriptors cannot be read.
bool read_sockets(const std::string& folder, std::set<std::uint64_t>& inodes) {
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) return false;
  while (const dirent* entry = readdir(open)) {
    char target[64] = "";
    const std::string path = folder + "/" + entry->d_name;
    const ssize_t length = readlink(path.c_str(), target, sizeof target - 1);
    const std::string_view text(target, length > 0 ? static_cast<std::size_t>(length) : 0);
    if (text.starts_with("socket:["))
      inodes.insert(std::strtoull(target + sizeof "socket:[" - 1, nullptr, 10));
  }
  closedir(open);
  return true;
}

// Lines of "sl local remote state tx:rx timer retransmissions uid timeout inode ...", in hex as far
// as the queues. False: the table cannot be read.
bool has_queue(const std::string& table, const std::set<std::uint64_t>& inodes, bool& queued) {
  std::ifstream file(table);
  std::string line;
  if (!std::getline(file, line)) return false;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string slot, local, remote, state, queues, timer, again, user, timeout;
    std::uint64_t inode = 0;
    words >> slot >> local >> remote >> state >> queues >> timer >> again >> user >> timeout >>
        inode;
    constexpr const char* kListens = "0A";  // the queue is that of callers
    if (state == kListens || inodes.count(inode) == 0) continue;
    queued = queued || std::strtoull(queues.c_str(), nullptr, 16) != 0;
  }
  return true;
}

}  // namespace

bool may_have_unsent(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::set<std::uint64_t> inodes;
  if (!read_sockets(folder + "/fd", inodes)) return true;
  if (inodes.empty()) return false;
  bool queued = false;
  const bool v4 = has_queue(folder + "/net/tcp", inodes, queued);
  const bool v6 = has_queue(folder + "/net/tcp6", inodes, queued);  // missing without IPv6
  return queued || (!v4 && !v6);
}

}  // namespace tessera::launcher
