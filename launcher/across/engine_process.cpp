// SPDX-License-Identifier: BSD-3-Clause
// Starting an engine, waiting for it, ending it.
#include "launcher/across/engine_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "launcher/descendants.h"
#include "launcher/report.h"

namespace tessera::launcher::across {
namespace {

constexpr double kPatience_s = 10;  // between the request to end and the end
constexpr int kTimedOut = 124;

double now_s() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> made;
  for (const std::string& text : texts) made.push_back(const_cast<char*>(text.c_str()));
  made.push_back(nullptr);
  return made;
}

// What ends at once when it is read; a bare root has no /dev/null.
int open_nothing() noexcept {
  const int file = open("/dev/null", O_RDONLY);
  return file >= 0 ? file : memfd_create("nothing", 0);
}

[[noreturn]] void become(const EngineOrder& order, char* const* words, char* const* environment,
                         const SignalSetting& signals, pid_t parent) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  if (!order.reads) dup2(open_nothing(), STDIN_FILENO);
  if (order.merge_streams) dup2(STDOUT_FILENO, STDERR_FILENO);
  sigprocmask(SIG_SETMASK, &signals.original, nullptr);
  execve(words[0], words, environment);
  std::fprintf(stderr, "mpiexec: cannot execute '%s': %s\n", words[0], strerror(errno));
  _exit(126);
}

class EngineProcess {
 public:
  EngineProcess(const EngineOrder& order, const SignalSetting& signals, pid_t engine) noexcept
      : order_(order), handled_(signals.handled), engine_(engine) {
    if (order.timeout_s > 0) deadline_s_ = now_s() + order.timeout_s;
  }

  int wait() noexcept {
    while (!ended_) {
      siginfo_t info{};
      const int signal = next_signal(info);
      if (signal == SIGCHLD)
        reap();
      else if (signal > 0)
        pass_on(signal, info);
      else if (deadline_s_ > 0 && now_s() >= deadline_s_)
        too_late();
    }
    kill_all_descendants();
    return status();
  }

 private:
  int next_signal(siginfo_t& info) const noexcept {
    if (deadline_s_ == 0) return sigwaitinfo(&handled_, &info);
    const double left = std::max(deadline_s_ - now_s(), 0.0);
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(left);
    limit.tv_nsec = static_cast<long>((left - static_cast<double>(limit.tv_sec)) * 1e9);
    return sigtimedwait(&handled_, &info, &limit);
  }

  void reap() noexcept {
    int status = 0;
    for (pid_t process = 0; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (process != engine_) continue;  // an orphan
      ended_ = true;
      wait_status_ = status;
    }
  }

  void pass_on(int signal, const siginfo_t& info) noexcept {
    if (!is_from_keyboard(signal, info.si_code)) kill(engine_, signal);
    if (signal == SIGTSTP) raise(SIGSTOP);
    if (!ends_job(signal)) return;
    if (ending_signal_ == 0) deadline_s_ = now_s() + kPatience_s;
    ending_signal_ = signal;
  }

  void too_late() noexcept {
    if (ending_signal_ != 0 || timed_out_) {
      kill(engine_, SIGKILL);
      deadline_s_ = 0;
      return;
    }
    std::fprintf(stderr,
                 "mpiexec: the job did not end within %g s; %s is told to end it (where its ranks "
                 "were nobody sees across hosts)\n",
                 order_.timeout_s, order_.name.c_str());
    timed_out_ = true;
    kill(engine_, SIGTERM);
    deadline_s_ = now_s() + kPatience_s;
  }

  int status() const noexcept {
    if (timed_out_) return kTimedOut;
    if (ending_signal_ != 0) return 128 + ending_signal_;
    if (WIFSIGNALED(wait_status_))
      std::fprintf(stderr, "mpiexec: %s (pid %d), which ran the job, %s\n", order_.name.c_str(),
                   engine_, describe_end(wait_status_).c_str());
    return exit_status_of(wait_status_);
  }

  const EngineOrder& order_;
  sigset_t handled_;
  pid_t engine_;
  double deadline_s_ = 0;  // of CLOCK_MONOTONIC; 0: none
  int ending_signal_ = 0;
  int wait_status_ = 0;
  bool timed_out_ = false;
  bool ended_ = false;
};

}  // namespace

int run_engine(const EngineOrder& order, const SignalSetting& signals) {
  const std::vector<char*> words = pointers(order.words);
  const std::vector<char*> environment = pointers(order.environment);
  adopt_orphans();
  const pid_t parent = getpid();
  const pid_t engine = fork();
  if (engine == 0) become(order, words.data(), environment.data(), signals, parent);
  if (engine > 0) return EngineProcess(order, signals, engine).wait();
  std::fprintf(stderr, "mpiexec: cannot start a process: fork: %s\n", strerror(errno));
  return 1;
}

}  // namespace tessera::launcher::across
