// SPDX-License-Identifier: BSD-3-Clause
// The files /proc/PID/task/*/syscall and status, with /proc/PID/maps and timers.
#include "launcher/hang/outside_threads.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera::launcher {
namespace {

struct Futex {
  std::uint64_t address = 0;
  std::uint64_t operation = 0;
  std::uint64_t limit = 0;  // address of the time-out, 0: none
};

std::string first_line(const std::string& name) {
  std::ifstream file(name);
  std::string line;
  std::getline(file, line);
  return line;
}

// "number argument ..." while the thread sleeps in a system call, else "running".
std::optional<Futex> futex_of(const std::string& thread) {
  std::istringstream words(first_line(thread + "/syscall"));
  std::string number, address, operation, value, limit;
  words >> number >> address >> operation >> value >> limit;
  if (!words || number != fmt::format("{}", SYS_futex)) return std::nullopt;
  const auto in_hex = [](const std::string& word) {
    return std::strtoull(word.c_str(), nullptr, 16);
  };
  return Futex{in_hex(address), in_hex(operation), in_hex(limit)};
}

bool waits(const Futex& futex) noexcept {
  const auto command = static_cast<int>(futex.operation) & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI;
}

// Lines of "first-last rwxp ...": the last letter is 's' where other processes share the memory.
bool is_private(pid_t process, std::uint64_t address) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    char* rest = nullptr;
    const std::uint64_t first = std::strtoull(line.c_str(), &rest, 16);
    if (*rest != '-') return false;
    const std::uint64_t last = std::strtoull(rest + 1, &rest, 16);
    if (first <= address && address < last)
      return std::string_view(rest).substr(0, 5).ends_with('p');
  }
  return false;
}

bool is_asleep(pid_t process, const std::string& thread) {
  const auto futex = futex_of(thread);
  if (!futex || !waits(*futex) || futex->limit != 0) return false;
  return (futex->operation & FUTEX_PRIVATE_FLAG) != 0 || is_private(process, futex->address);
}

struct Standing {
  std::string switches;
  std::uint64_t handled = 0;  // the set of signals that have handlers
  bool sleeps = false;
};

Standing standing_of(const std::string& thread) {
  Standing found;
  std::ifstream status(thread + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) found.sleeps = line.find("\tS") != std::string::npos;
    if (line.starts_with("SigCgt:")) found.handled = std::strtoull(line.c_str() + 7, nullptr, 16);
    if (line.find("ctxt_switches:") != std::string::npos)
      found.switches += line.substr(line.find(':') + 1);
  }
  return found;
}

// By a timer, or by somebody outside. The signals of crashes and of the end do not count.
bool may_be_interrupted(std::uint64_t handled) noexcept {
  constexpr int kFirstRealTime = 34;  // those before are glibc's own
  std::uint64_t signals = ~std::uint64_t{0} << (kFirstRealTime - 1);
  for (const int signal : {SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGUSR1, SIGUSR2})
    signals |= std::uint64_t{1} << (signal - 1);
  return (handled & signals) != 0;
}

}  // namespace

std::optional<OutsideThreads> asleep_outside(pid_t process, std::span<const std::int32_t> others) {
  const std::string folder = fmt::format("/proc/{}", process);
  OutsideThreads found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/task", error)) {
    const std::string thread = entry.path();
    const auto number = std::atoi(entry.path().filename().c_str());
    if (std::find(others.begin(), others.end(), number) != others.end()) continue;
    if (!is_asleep(process, thread)) return std::nullopt;
    const Standing standing = standing_of(thread);
    if (!standing.sleeps || may_be_interrupted(standing.handled)) return std::nullopt;
    found.switches += fmt::format("{}:{};", number, standing.switches);
    ++found.count;
  }
  if (error || !first_line(folder + "/timers").empty()) return std::nullopt;
  return found;
}

}  // namespace tessera::launcher
