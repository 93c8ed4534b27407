// SPDX-License-Identifier: BSD-3-Clause
// Asks hosts through the engine that reaches them.
#include "launcher/across/lost_hosts.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "launcher/across/system_calls.h"
#include "launcher/descendants.h"

namespace tessera::launcher::across {
namespace {

constexpr double kTimeToAnswer_s = 5;
constexpr std::size_t kAtOnce = 32;  // each is a process of the engine and a remote shell

// A question that runs, or its answer.
struct Question {
  std::string host;
  pid_t process = 0;  // 0: answered, or not asked
  bool lost = false;
};

// It reads nothing, and what the engine says of a host is not worth more than its exit status.
pid_t start(const std::vector<std::string>& words, const std::vector<std::string>& environment,
            const SignalSetting& signals) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t setting;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&setting);
  posix_spawnattr_setsigmask(&setting, &signals.original);
  posix_spawnattr_setflags(&setting, POSIX_SPAWN_SETSIGMASK);
  pid_t process = 0;
  if (posix_spawn(&process, words[0].c_str(), &files, &setting, pointers(words).data(),
                  pointers(environment).data()) != 0)
    process = 0;
  posix_spawnattr_destroy(&setting);
  posix_spawn_file_actions_destroy(&files);
  return process;
}

bool all_answered(std::span<const Question> questions) {
  return std::all_of(questions.begin(), questions.end(),
                     [](const Question& one) { return one.process == 0; });
}

void reap(std::span<Question> questions) {
  int status = 0;
  for (pid_t process = 0; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (Question& one : questions) {
      if (one.process != process) continue;
      one.process = 0;
      one.lost = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
  }
}

// False: mpiexec was told to end.
bool wait_for(std::span<Question> questions, const SignalSetting& signals) {
  const double deadline = now_s() + kTimeToAnswer_s;
  for (double left = kTimeToAnswer_s; !all_answered(questions) && left > 0;
       left = deadline - now_s()) {
    siginfo_t info{};
    const int signal = next_signal(signals.handled, left, info);
    if (signal > 0 && ends_job(signal)) return false;
    reap(questions);
  }
  for (Question& one : questions) one.lost |= one.process != 0;
  return true;
}

}  // namespace

std::vector<std::string> unanswering_hosts(const Engine& engine, const std::string& agent,
                                           const std::vector<Share>& shares,
                                           const std::vector<std::string>& environment,
                                           const SignalSetting& signals) {
  std::vector<std::string> lost;
  for (std::size_t first = 0; first < shares.size(); first += kAtOnce) {
    std::vector<Question> questions;
    for (std::size_t i = first; i < std::min(first + kAtOnce, shares.size()); ++i) {
      Request request;
      request.shares = {{shares[i].host, 1}};
      request.parts = {{1, {"true"}}};
      request.agent = agent;
      questions.push_back(
          {shares[i].host, start(command_of(engine, request), environment, signals)});
    }
    const bool asked = wait_for(questions, signals);
    kill_all_descendants();
    if (!asked) return {};
    for (const Question& one : questions)
      if (one.lost) lost.push_back(one.host);
  }
  return lost;
}

}  // namespace tessera::launcher::across
