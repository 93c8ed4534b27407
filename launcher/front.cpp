// SPDX-License-Identifier: BSD-3-Clause
// The visible mpiexec: passes signals on, gives the exit status, and cleans up should its child be
// killed.
#include "launcher/front.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "launcher/descendants.h"
#include "launcher/report.h"

namespace tessera::launcher {
namespace {

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

bool is_ignored(int signal) noexcept {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// For ps(1) and pkill(1): the child is not called mpiexec.
void rename_process(char** words, pid_t front) noexcept {
  prctl(PR_SET_NAME, "tessera-job");
  char* const begin = words[0];
  char* end = begin;
  for (char** word = words; *word == end; ++word) end += strlen(*word) + 1;
  memset(begin, 0, static_cast<std::size_t>(end - begin));
  std::snprintf(begin, static_cast<std::size_t>(end - begin), "tessera-job of %d", front);
}

int run_child(char** words, pid_t front, const std::function<int(pid_t)>& job) {
  prctl(PR_SET_PDEATHSIG, kFrontDied);
  if (getppid() != front) return 1;
  rename_process(words, front);
  return job(front);
}

// As if the signal had not been caught: the shell sees that mpiexec died of it.
void die_of(int signal) noexcept {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

class Front {
 public:
  Front(const SignalSetting& signals, pid_t child) noexcept
      : handled_(signals.handled), child_(child) {}

  int run() noexcept {
    while (!ended_) {
      siginfo_t info{};
      const int signal = sigwaitinfo(&handled_, &info);
      if (signal == SIGCHLD) {
        reap();
      } else if (signal > 0) {
        pass_on(signal, info);
      }
    }
    return finish();
  }

 private:
  void pass_on(int signal, const siginfo_t& info) noexcept {
    if (!is_from_keyboard(signal, info.si_code)) kill(child_, signal);
    if (signal == SIGTSTP) raise(SIGSTOP);
    if (ends_job(signal)) ending_signal_ = signal;
  }

  void reap() noexcept {
    int status = 0;
    for (pid_t process = 0; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (process != child_) continue;  // an orphan
      ended_ = true;
      status_ = status;
    }
  }

  int finish() const noexcept {
    kill_all_descendants();
    if (WIFSIGNALED(status_) && WTERMSIG(status_) != ending_signal_) {
      std::fprintf(stderr,
                   "mpiexec: the process that ran the job (pid %d) %s; all ranks were ended\n",
                   child_, describe_end(status_).c_str());
    }
    const int status = exit_status_of(status_);
    if (ending_signal_ != 0 && status == 128 + ending_signal_) die_of(ending_signal_);
    return status;
  }

  sigset_t handled_;
  pid_t child_;
  int ending_signal_ = 0;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace

bool ends_job(int signal) noexcept {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

bool is_from_keyboard(int signal, int code) noexcept {
  return code == SI_KERNEL && (signal == SIGINT || signal == SIGQUIT || signal == SIGTSTP);
}

SignalSetting take_over_signals() noexcept {
  SignalSetting setting{};
  sigemptyset(&setting.handled);
  sigaddset(&setting.handled, SIGCHLD);
  for (const int signal : kPassedOn) {
    if (!is_ignored(signal)) sigaddset(&setting.handled, signal);
  }
  // An ignored SIGCHLD would make the kernel throw away the exit statuses.
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, nullptr);
  sigset_t blocked = setting.handled;
  sigaddset(&blocked, SIGPIPE);  // a write then fails with EPIPE
  sigprocmask(SIG_BLOCK, &blocked, &setting.original);
  return setting;
}

SignalsEndProcess::SignalsEndProcess(const SignalSetting& signals) noexcept {
  sigprocmask(SIG_SETMASK, &signals.original, &blocked_);
}

SignalsEndProcess::~SignalsEndProcess() {
  sigprocmask(SIG_SETMASK, &blocked_, nullptr);
}

int run_behind_front(const SignalSetting& signals, char** words,
                     const std::function<int(pid_t front)>& job) {
  adopt_orphans();
  const pid_t front = getpid();
  const pid_t child = fork();
  if (child == 0) _exit(run_child(words, front, job));
  if (child > 0) return Front(signals, child).run();
  std::fprintf(stderr, "mpiexec: cannot start a process: fork: %s\n", strerror(errno));
  return 1;
}

}  // namespace tessera::launcher
