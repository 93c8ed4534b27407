// SPDX-License-Identifier: BSD-3-Clause
// Starts one rank's process with vfork(2).
#include "launcher/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace tessera::launcher {
namespace {

// Puts the three streams into place. A stream that lies on another one's number is moved out of the
// way first.
bool place_streams(const int (&streams)[3]) noexcept {
  int source[3];
  for (int i = 0; i < 3; ++i) {
    source[i] =
        streams[i] < 3 && streams[i] != i ? fcntl(streams[i], F_DUPFD_CLOEXEC, 3) : streams[i];
    if (source[i] < 0) return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (source[i] == i) {
      if (fcntl(i, F_SETFD, 0) < 0) return false;
    } else if (dup2(source[i], i) < 0) {
      return false;
    }
  }
  return true;
}

// In the child, which shares the parent's memory until it executes: system calls only, and no
// return.
[[noreturn]] void become(const ProcessOrder& order, pid_t parent, volatile int& error) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before the line above
  if (order.cpus != nullptr && sched_setaffinity(0, order.cpu_bytes, order.cpus) != 0) {
    error = -errno;
    _exit(127);
  }
  if (place_streams(order.streams) && fcntl(order.inherited, F_SETFD, 0) == 0 &&
      (order.directory == nullptr || chdir(order.directory) == 0)) {
    setrlimit(RLIMIT_NOFILE, order.files);
    sigprocmask(SIG_SETMASK, order.mask, nullptr);
    execve(order.path, order.arguments, order.environment);
    if (errno == ENOEXEC) execve("/bin/sh", order.script_arguments, order.environment);
  }
  error = errno;
  _exit(127);
}

Status not_executed(const ProcessOrder& order, int error) noexcept {
  if (error < 0)
    return Status::failure(Errc::argument,
                           std::string("cannot be bound to its CPUs: ") + strerror(-error));
  const Errc code = error == ENOENT ? Errc::not_found : Errc::refused;
  std::string text = "cannot execute '" + std::string(order.path) + "': " + strerror(error);
  if (error == ENOENT) text += " (the program, its interpreter or its loader is missing)";
  return Status::failure(code, text);
}

}  // namespace

Result<pid_t> spawn(const ProcessOrder& order) noexcept {
  volatile int error = 0;
  const pid_t parent = getpid();
  const pid_t child = vfork();
  if (child == 0) become(order, parent, error);
  if (child < 0)
    return Status::failure(Errc::system,
                           std::string("cannot start a process: fork: ") + strerror(errno));
  if (error == 0) return child;
  waitpid(child, nullptr, 0);
  return not_executed(order, error);
}

}  // namespace tessera::launcher
