// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec hands to execve(2) and asks of sigtimedwait(2).
#include "launcher/across/system_calls.h"

#include <time.h>

#include <algorithm>

namespace tessera::launcher::across {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> made;
  for (const std::string& text : texts) made.push_back(const_cast<char*>(text.c_str()));
  made.push_back(nullptr);
  return made;
}

double now_s() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int next_signal(const sigset_t& signals, double seconds, siginfo_t& info) noexcept {
  const double left = std::max(seconds, 0.0);
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(left);
  limit.tv_nsec = static_cast<long>((left - static_cast<double>(limit.tv_sec)) * 1e9);
  return sigtimedwait(&signals, &info, &limit);
}

}  // namespace tessera::launcher::across
