// SPDX-License-Identifier: BSD-3-Clause
// Findings about what the system permits this user.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>

#include "doctor.h"
#include "tessera/cma.h"

namespace ompi_info {
namespace {

constexpr std::uint64_t MiB = 1 << 20;

std::string limit_text(rlim_t limit, std::string_view unit) {
  return limit == RLIM_INFINITY ? "unlimited" : fmt::format("{}{}", limit, unit);
}

rlimit limit_of(__rlimit_resource resource) noexcept {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
  return limit;
}

// A line "Key:   123 kB" of /proc/meminfo, in bytes; 0 when there is none.
std::uint64_t memory_info(std::string_view key) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    std::uint64_t kib = 0;
    if (digits != std::string::npos)
      std::from_chars(line.data() + digits, line.data() + line.size(), kib);
    return kib * 1024;
  }
  return 0;
}

// What the control group of this process may still take, or the largest number when nothing limits
// it.
std::uint64_t group_room() {
  std::string group = first_line("/proc/self/cgroup");
  group = group.starts_with("0::") ? group.substr(3) : "";
  std::uint64_t room = ~std::uint64_t{0};
  for (std::string path = "/sys/fs/cgroup" + group;;) {
    const std::string most = first_line(path + "/memory.max");
    const std::string used = first_line(path + "/memory.current");
    std::uint64_t limit = 0, taken = 0;
    const auto end = std::from_chars(most.data(), most.data() + most.size(), limit).ec;
    std::from_chars(used.data(), used.data() + used.size(), taken);
    if (end == std::errc()) room = std::min(room, limit > taken ? limit - taken : 0);
    if (path.size() <= std::strlen("/sys/fs/cgroup/")) return room;
    path.resize(path.find_last_of('/'));
  }
}

// Makes a nameless memory object and takes its pages, as mpiexec does.
int try_shared_memory() noexcept {
  const int descriptor = memfd_create("tessera-doctor", MFD_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = posix_fallocate(descriptor, 0, MiB);
  close(descriptor);
  return error;
}

[[noreturn]] void be_read(int ready, int until_closed) noexcept {
  tessera::admit_descendants(getppid());
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::uint64_t probed = 0;
  const tessera::CmaProbe probe = tessera::place_probe(probed);
  char byte = 0;
  if (write(ready, &probe, sizeof probe) == sizeof probe) (void)!read(until_closed, &byte, 1);
  _exit(0);
}

int exit_code_of(pid_t child) noexcept {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

// Two children, as ranks are children of mpiexec: whether one may read the other. The error number,
// or 0.
int try_single_copy() noexcept {
  int ready[2], hold[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return errno;
  if (pipe2(hold, O_CLOEXEC) != 0) return close(ready[0]), close(ready[1]), errno;
  const pid_t target = fork();
  if (target == 0) close(hold[1]), be_read(ready[1], hold[0]);
  close(ready[1]);
  tessera::CmaProbe probe;
  int error = target < 0 ? EAGAIN : 0;
  if (error == 0 && read(ready[0], &probe, sizeof probe) == sizeof probe) {
    const pid_t reader = fork();
    if (reader == 0) _exit(tessera::try_probe(target, probe));
    error = reader < 0 ? EAGAIN : exit_code_of(reader);
  }
  for (int descriptor : {ready[0], hold[0], hold[1]}) close(descriptor);
  if (target > 0) exit_code_of(target);
  return error;
}

}  // namespace

Finding check_memory_lock() {
  const rlimit limit = limit_of(RLIMIT_MEMLOCK);
  Finding finding{
      "locked_memory", Health::ok, limit_text(limit.rlim_cur / 1024, " KiB"),
      "Networks with remote memory access pin their buffers; shared memory and TCP do not.", ""};
  if (limit.rlim_cur == RLIM_INFINITY) finding.value = "unlimited";
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= 64 * MiB) return finding;
  finding.health = Health::note;
  finding.next =
      "Nothing for the transports installed here; for such a network `ulimit -l unlimited`, or "
      "memlock in /etc/security/limits.conf.";
  return finding;
}

Finding check_open_files() {
  constexpr rlim_t comfortable = 1024, least = 64;
  const rlimit limit = limit_of(RLIMIT_NOFILE);
  Finding finding{"open_files", Health::ok, limit_text(limit.rlim_cur, ""),
                  "mpiexec needs three descriptors per rank, and btl/tcp one per peer.", ""};
  if (limit.rlim_cur >= comfortable) return finding;
  finding.health = limit.rlim_cur < least ? Health::problem : Health::note;
  finding.next = fmt::format("ulimit -n {}", limit_text(limit.rlim_max, ""));
  return finding;
}

Finding check_processes() {
  constexpr rlim_t comfortable = 256;
  const rlimit limit = limit_of(RLIMIT_NPROC);
  Finding finding{"processes", Health::ok, limit_text(limit.rlim_cur, ""),
                  "Every rank is a process of this user; the limit counts all that run already.",
                  ""};
  if (limit.rlim_cur >= comfortable) return finding;
  finding.health = Health::note;
  finding.next = fmt::format("ulimit -u {}", limit_text(limit.rlim_max, ""));
  return finding;
}

Finding check_shared_memory() {
  constexpr std::uint64_t comfortable = 256 * MiB;
  const int error = try_shared_memory();
  const std::uint64_t room = std::min(memory_info("MemAvailable:"), group_room());
  Finding finding{"shared_memory", Health::ok, fmt::format("{} MiB can be had", room / MiB),
                  "Ranks of one machine meet in a nameless memory object that counts as their "
                  "memory; the size of /dev/shm does not matter.",
                  ""};
  if (error != 0) {
    finding.health = Health::problem;
    finding.value = fmt::format("cannot be made: {}", std::strerror(error));
    finding.next =
        "Let the sandbox or container permit memfd_create; `--mca btl self,tcp` does without "
        "btl/sm, mpiexec still needs it.";
  } else if (room < comfortable) {
    finding.health = Health::note;
    finding.next = "Give the container more memory, or start fewer ranks.";
  }
  return finding;
}

Finding check_single_copy() {
  const int error = try_single_copy();
  Finding finding{"single_copy", Health::ok,
                  error == 0 ? "permitted" : fmt::format("refused: {}", std::strerror(error)),
                  "Large messages between ranks of one machine are copied once, through "
                  "process_vm_readv, instead of twice.",
                  ""};
  if (error == 0) return finding;
  finding.health = Health::note;
  finding.next =
      "Everything works without, slower. Let the container's seccomp profile permit "
      "process_vm_readv (--cap-add SYS_PTRACE), or as root: sysctl kernel.yama.ptrace_scope=0.";
  return finding;
}

Finding check_doorbell() {
  const long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  const bool there = known > 0 && (known & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0;
  Finding finding{"membarrier", Health::ok, there ? "permitted" : "refused",
                  "Lets a sender ring a sleeping rank without paying for a fence in every message.",
                  ""};
  if (there) return finding;
  finding.health = Health::note;
  finding.next =
      "Let the container's seccomp profile permit membarrier; everything works without, a little "
      "slower.";
  return finding;
}

}  // namespace ompi_info
