// SPDX-License-Identifier: BSD-3-Clause
// Runs a command again and again; prints the median or best time from before the spawn to after the
// reaping.
//
// Usage: startup [--budget SECONDS] [--best] FIGURE COMMAND [ARGUMENT...]. The command's output is
// thrown away; a failure of it ends the measurement with status 1, naming the command and how it
// ended.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>

#include "options.hpp"

namespace {

using namespace tessera::bench;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "exited with status " + std::to_string(WEXITSTATUS(status));
}

/// Runs the command once with nothing on its standard streams. Returns seconds; ends the program if
/// the command fails.
double run_once(char** command) {
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&streams, 1, "/dev/null", O_WRONLY, 0);
  const double start = now();
  pid_t child = 0;
  int status = 0;
  const int error = posix_spawnp(&child, command[0], &streams, nullptr, command, environ);
  if (error == 0) waitpid(child, &status, 0);
  const double elapsed = now() - start;
  posix_spawn_file_actions_destroy(&streams);
  if (error != 0)
    std::fprintf(stderr, "startup: cannot run %s: %s\n", command[0], std::strerror(error));
  if (status != 0) std::fprintf(stderr, "startup: %s %s\n", command[0], describe(status).c_str());
  if (error != 0 || status != 0) std::exit(1);
  return elapsed;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  if (argc - optind < 2) {
    std::fprintf(stderr,
                 "usage: startup [--budget SECONDS] [--best] FIGURE COMMAND [ARGUMENT...]\n");
    return 1;
  }
  run_once(argv + optind + 1);  // fills the page cache
  std::vector<double> times;
  double spent = 0;
  while (times.empty() || (times.size() < 3 && spent < 10 * options.budget) ||
         (spent < options.budget && times.size() < 200)) {
    times.push_back(run_once(argv + optind + 1));
    spent += times.back();
  }
  print_figure(argv[optind], 0, 1e3 * typical(options, times), "ms");
  return 0;
}
