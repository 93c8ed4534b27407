// SPDX-License-Identifier: BSD-3-Clause
// A process that dies while a component is opened says which one: LoadWatch.
#pragma once
//
// Contract. A damaged file can kill the dynamic linker, which looks at no more than the beginning
// of it, and code of the file may run and fail as it is opened. As long as a LoadWatch lives, a
// fault is told on standard error with the name of the file; then it happens again under the action
// of before, so that exit status, core dump and the program's own handler are those of the fault.
// An end of which no handler hears (exit, a stack that is full, SIGKILL) is told by mpiexec, which
// reads the LoadNote. One at a time in a process: others wait.
//
#include <signal.h>

#include <array>
#include <mutex>
#include <string>

#include "framework/catalog.h"
#include "framework/load_note.h"

namespace tessera {

// The file of a component, and what to do when its code has ended the process.
std::string blame(const Candidate& candidate);

class LoadWatch {
 public:
  // `note`: where it is written down, or null. Both outlive it.
  explicit LoadWatch(const Candidate& candidate, LoadNote* note = nullptr);
  ~LoadWatch();
  LoadWatch(const LoadWatch&) = delete;
  LoadWatch& operator=(const LoadWatch&) = delete;

 private:
  static constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  static void on_fault(int signal, siginfo_t* info, void* context);

  std::lock_guard<std::mutex> lock_;
  LoadNote own_{};  // where nobody else has one
  LoadNote* note_;
  NotedComponent noted_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace tessera
