// SPDX-License-Identifier: BSD-3-Clause
// The process that the user sees as mpiexec, and the one behind it that runs the job.
#pragma once
//
// Contract. mpiexec is two processes. The visible one stays in front: it passes signals on and, in
// the end, the exit status. Its child runs the job and is the parent of all ranks. Each adopts
// orphans and ends all its descendants when the other one dies, so that whichever is killed by
// whatever signal, nothing of the job is left. The child calls itself tessera-job, so that no kill
// by the name of mpiexec hits both.
//
// All processes of the job stay in the process group of mpiexec: the keyboard reaches them
// directly, rank 0 may read the terminal, and the shell's job control works as for any other
// program.
//
#include <signal.h>
#include <sys/types.h>

#include <functional>

namespace tessera::launcher {

// How signals arrived at mpiexec, for whoever starts processes.
struct SignalSetting {
  sigset_t original;  // the mask to give to ranks
  sigset_t handled;   // what is passed on: the usual ones but for those that were ignored when
                      // mpiexec started
};

// The signal by which the child learns that the front died.
inline constexpr int kFrontDied = SIGTERM;

// Whether this is a request to end the job.
bool ends_job(int signal) noexcept;

// Whether a key was pressed (`code` is si_code): then all processes of the group have got the
// signal.
bool is_from_keyboard(int signal, int code) noexcept;

// Blocks what is handled. Call it before the process has children.
SignalSetting take_over_signals() noexcept;

// While it lives, signals end this process again, as before they were taken over.
class SignalsEndProcess {
 public:
  explicit SignalsEndProcess(const SignalSetting& signals) noexcept;
  ~SignalsEndProcess();
  SignalsEndProcess(const SignalsEndProcess&) = delete;
  SignalsEndProcess& operator=(const SignalsEndProcess&) = delete;

 private:
  sigset_t blocked_;
};

// Runs `job` in a child and returns its value, the exit status for mpiexec. `words` are the
// arguments of main(), which the child overwrites with its own name.
int run_behind_front(const SignalSetting& signals, char** words,
                     const std::function<int(pid_t front)>& job);

}  // namespace tessera::launcher
