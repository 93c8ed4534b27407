// SPDX-License-Identifier: BSD-3-Clause
// Starting an engine, waiting for it, ending it.
#include "launcher/across/engine_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "launcher/across/end_mark.h"
#include "launcher/across/input_feed.h"
#include "launcher/across/system_calls.h"
#include "launcher/descendants.h"
#include "launcher/report.h"

namespace tessera::launcher::across {
namespace {

constexpr double kPatience_s = 10;  // between the request to end and the end
constexpr double kAfterMark_s = 2;  // between a mark of a bad end and the end of the engine
constexpr int kLastWords_ms = 200;  // of those who write, after the engine
constexpr int kTimedOut = 124;

// What ends at once when it is read; a bare root has no /dev/null.
int open_nothing() noexcept {
  const int file = open("/dev/null", O_RDONLY);
  return file >= 0 ? file : memfd_create("nothing", 0);
}

void write_all(int stream, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(stream, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A thread that passes the engine's standard error on, and keeps marks back. It sends mpiexec
// SIGCHLD when it has found one.
class MarkedStream {
 public:
  explicit MarkedStream(std::uint64_t job_id) : filter_(job_id), over_(eventfd(0, EFD_CLOEXEC)) {
    if (job_id != 0 && pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~MarkedStream() {
    if (ends_[1] >= 0) close(ends_[1]);
    finish();
    if (ends_[0] >= 0) close(ends_[0]);
    if (over_ >= 0) close(over_);
  }
  MarkedStream(const MarkedStream&) = delete;
  MarkedStream& operator=(const MarkedStream&) = delete;

  int for_engine() const noexcept { return ends_[1]; }  // -1: there is none
  void start() {
    if (ends_[0] < 0) return;
    close(std::exchange(ends_[1], -1));
    thread_ = std::thread([this] { pass_on(); });
  }
  // The engine has ended. What it has left on hosts that it cannot reach may hold the other end.
  void finish() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(over_, &one, sizeof one);
    if (thread_.joinable()) thread_.join();
  }
  std::optional<EndMark> mark() {
    const std::lock_guard lock(mutex_);
    return filter_.mark();
  }

 private:
  void pass_on() {
    char bytes[16 * 1024];
    for (ssize_t size = 0; has_more() && (size = read(ends_[0], bytes, sizeof bytes)) != 0;) {
      if (size < 0 && errno != EINTR) break;
      if (size < 0) continue;
      write_all(STDERR_FILENO, take({bytes, static_cast<std::size_t>(size)}));
    }
    write_all(STDERR_FILENO, filter_.rest());
  }

  bool has_more() const noexcept {
    pollfd both[] = {{ends_[0], POLLIN, 0}, {over_, POLLIN, 0}};
    while (poll(both, 2, -1) < 0 && errno == EINTR) continue;
    if (both[0].revents != 0) return true;
    return poll(both, 1, kLastWords_ms) > 0;
  }

  std::string take(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    std::string text = filter_.take(bytes);
    if (filter_.mark()) kill(getpid(), SIGCHLD);
    return text;
  }

  MarkFilter filter_;
  int over_ = -1;
  std::mutex mutex_;  // guards filter_
  int ends_[2] = {-1, -1};
  std::thread thread_;
};

[[noreturn]] void become(const EngineOrder& order, char* const* words, char* const* environment,
                         const SignalSetting& signals, pid_t parent, int errors) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  if (!order.reads) dup2(open_nothing(), STDIN_FILENO);
  if (order.merge_streams) dup2(STDOUT_FILENO, STDERR_FILENO);
  if (errors >= 0) dup2(errors, STDERR_FILENO);
  sigprocmask(SIG_SETMASK, &signals.original, nullptr);
  execve(words[0], words, environment);
  std::fprintf(stderr, "mpiexec: cannot execute '%s': %s\n", words[0], strerror(errno));
  _exit(126);
}

class EngineProcess {
 public:
  EngineProcess(const EngineOrder& order, const SignalSetting& signals, pid_t engine,
                MarkedStream& errors) noexcept
      : order_(order), handled_(signals.handled), engine_(engine), errors_(errors) {
    if (order.timeout_s > 0) deadline_s_ = now_s() + order.timeout_s;
  }

  int wait() {
    errors_.start();
    while (!ended_) {
      siginfo_t info{};
      const int signal = next_signal(info);
      if (signal == SIGCHLD)
        reap();
      else if (signal > 0)
        pass_on(signal, info);
      else if (deadline_s_ > 0 && now_s() >= deadline_s_)
        too_late();
      if (!mark_) heed_mark();
    }
    kill_all_descendants();
    errors_.finish();
    mark_ = errors_.mark();
    return status();
  }

 private:
  int next_signal(siginfo_t& info) const noexcept {
    if (deadline_s_ == 0) return sigwaitinfo(&handled_, &info);
    return across::next_signal(handled_, deadline_s_ - now_s(), info);
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

  void heed_mark() {
    mark_ = errors_.mark();
    if (mark_ && mark_->status != 0) deadline_s_ = now_s() + kAfterMark_s;
  }

  void too_late() noexcept {
    if (ending_signal_ != 0 || timed_out_ || (mark_ && mark_->status != 0)) {
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
    if (mark_ && mark_->status != 0) return mark_->status;
    if (WIFSIGNALED(wait_status_))
      std::fprintf(stderr, "mpiexec: %s (pid %d), which ran the job, %s\n", order_.name.c_str(),
                   engine_, describe_end(wait_status_).c_str());
    const int status = exit_status_of(wait_status_);
    if (status != 0 || mark_ || !order_.zero_needs_mark) return status;
    std::fprintf(stderr, "mpiexec: %s has ended before the job: it has lost a host\n",
                 order_.name.c_str());
    return 1;
  }

  const EngineOrder& order_;
  sigset_t handled_;
  pid_t engine_;
  MarkedStream& errors_;
  std::optional<EndMark> mark_;
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
  MarkedStream errors(order.marked_job);
  adopt_orphans();
  const pid_t parent = getpid();
  const pid_t engine = fork();
  if (engine == 0)
    become(order, words.data(), environment.data(), signals, parent, errors.for_engine());
  if (engine > 0) {
    if (order.input != nullptr) order.input->start();
    return EngineProcess(order, signals, engine, errors).wait();
  }
  std::fprintf(stderr, "mpiexec: cannot start a process: fork: %s\n", strerror(errno));
  return 1;
}

}  // namespace tessera::launcher::across
