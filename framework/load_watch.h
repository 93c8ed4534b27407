// SPDX-License-Identifier: BSD-3-Clause
// A process that dies while the dynamic linker opens a file says which one: LoadWatch.
#pragma once
//
// Contract. A damaged file can kill the dynamic linker, which looks at no more than the beginning
// of it, and code of the file may run and fail as it is opened. As long as a LoadWatch lives, a
// fault is told on standard error with the name of the file; then it happens again under the action
// of before, so that exit status, core dump and the program's own handler are those of the fault.
// One at a time in a process.
//
#include <signal.h>

#include <array>
#include <string>

namespace tessera {

class LoadWatch {
 public:
  explicit LoadWatch(const std::string& path) noexcept;  // which outlives it
  ~LoadWatch();
  LoadWatch(const LoadWatch&) = delete;
  LoadWatch& operator=(const LoadWatch&) = delete;

 private:
  static constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE};
  static void on_fault(int signal, siginfo_t* info, void* context);

  const char* path_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace tessera
