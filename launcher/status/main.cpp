// SPDX-License-Identifier: BSD-3-Clause
// tessera-status: what the ranks of running jobs do.
#include <fmt/format.h>
#include <time.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "framework/text.h"
#include "launcher/hang/whereabouts.h"
#include "launcher/status/running_jobs.h"
#include "launcher/status/stacks.h"

namespace tessera::launcher {
namespace {

constexpr int kWrongUse = 2;

constexpr const char* kUsage =
    "usage: tessera-status [--stacks] [PID]\n"
    "\n"
    "Prints what each rank of your running jobs on this machine is doing: the MPI call it is in,\n"
    "where in the program, since when, for what it waits, and which messages are under way. The\n"
    "jobs go on.\n"
    "\n"
    "  PID        only the job of this process: mpiexec, what started it, or a rank\n"
    "  --stacks   the callers of every thread as well, by gdb\n"
    "  --help     this text\n";

void print(std::FILE* stream, const std::string& text) {
  std::fputs(text::printable(text).c_str(), stream);
}

struct Request {
  bool stacks = false;
  std::optional<pid_t> process;
};

std::optional<pid_t> read_process(std::string_view word) {
  pid_t process = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), process);
  if (error != std::errc() || stop != word.data() + word.size() || process < 1) return std::nullopt;
  return process;
}

// None: wrong use, which has been said.
std::optional<Request> read_request(int argc, char** argv) {
  Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--stacks") {
      request.stacks = true;
    } else if (const auto process = read_process(word); process && !request.process) {
      request.process = process;
    } else {
      fmt::print(stderr,
                 "tessera-status: '{}' is neither --stacks nor the one PID of a process\n{}", word,
                 kUsage);
      return std::nullopt;
    }
  }
  return request;
}

Whereabouts::Millis monotonic_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

std::string ask(const RunningJob& job) {
  constexpr timespec kPause{0, Whereabouts::kLook * 1'000'000};
  const Whereabouts whereabouts(job.segment, monotonic_ms());
  while (!whereabouts.answered(monotonic_ms())) nanosleep(&kPause, nullptr);
  return whereabouts.text();
}

int show(const Request& request) {
  int shown = 0;
  for (const RunningJob& job : running_jobs()) {
    if (request.process && !belongs_to(job, *request.process)) continue;
    ++shown;
    const pid_t launcher = job.segment->launcher_pid();
    const std::string origin = launcher != 0 ? fmt::format(" of mpiexec (pid {})", launcher) : "";
    const std::uint32_t ranks = job.segment->ranks();
    print(stdout, fmt::format("job{} with {} rank{}: {}\n{}", origin, ranks, ranks == 1 ? "" : "s",
                              job.command, ask(job)));
    if (!request.stacks) continue;
    if (const Status printed = print_stacks(*job.segment); !printed.ok()) {
      print(stderr, fmt::format("tessera-status: {}\n", printed.text()));
      return 1;
    }
  }
  if (shown > 0) return 0;
  if (request.process)
    print(stderr,
          fmt::format("tessera-status: process {} belongs to no job of yours on this machine\n",
                      *request.process));
  else
    print(stdout, "no job of yours runs on this machine\n");
  return request.process ? 1 : 0;
}

}  // namespace

int run(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") return std::fputs(kUsage, stdout), 0;
  const auto request = read_request(argc, argv);
  return request ? show(*request) : kWrongUse;
}

}  // namespace tessera::launcher

int main(int argc, char** argv) {
  try {
    return tessera::launcher::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-status: %s\n", error.what());
    return 1;
  }
}
