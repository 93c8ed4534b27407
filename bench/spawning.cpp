// SPDX-License-Identifier: BSD-3-Clause
// Processes that come and go: what MPI_Comm_spawn and a meeting of two programs cost.
//
// spawn_1, spawn_8: from MPI_Comm_spawn to the end of MPI_Comm_disconnect, in a job of one process;
// the children do nothing between MPI_Init and MPI_Finalize but disconnect. connect: accept,
// connect and disconnect of two programs that were started alone.
#include <mpi.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>

#include "measure.hpp"

extern char** environ;

using namespace tessera::bench;

namespace {

constexpr const char* kVisitor = "--visitor";
constexpr int kMeetings = 200;

const char* self = nullptr;

double middle(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double spawn_once(int children) {
  MPI_Comm inter = MPI_COMM_NULL;
  const double start = MPI_Wtime();
  MPI_Comm_spawn(self, MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                 MPI_ERRCODES_IGNORE);
  MPI_Comm_disconnect(&inter);
  return MPI_Wtime() - start;
}

// The first one may start a launcher, and is not counted.
void measure_spawn(const Options& options, const std::string& name, int children) {
  if (!options.wants(name)) return;
  spawn_once(children);
  std::vector<double> times;
  const double end = MPI_Wtime() + 10 * options.budget;
  for (int i = 0; i < options.repetitions || (MPI_Wtime() < end && i < 1000); ++i)
    times.push_back(spawn_once(children));
  const double shown = options.best ? *std::min_element(times.begin(), times.end()) : middle(times);
  print_figure(name, 8, 1e3 * shown, "ms");
}

void visit(const char* port) {
  for (int i = 0; i < kMeetings; ++i) {
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    MPI_Comm_disconnect(&inter);
  }
}

void measure_connect(const Options& options) {
  if (!options.wants("connect")) return;
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Open_port(MPI_INFO_NULL, port);
  char* const words[] = {const_cast<char*>(self), const_cast<char*>(kVisitor), port, nullptr};
  pid_t visitor = 0;
  if (posix_spawn(&visitor, self, nullptr, nullptr, words, environ) != 0) return;
  std::vector<double> times;
  for (int i = 0; i < kMeetings; ++i) {
    MPI_Comm inter = MPI_COMM_NULL;
    const double start = MPI_Wtime();
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    MPI_Comm_disconnect(&inter);
    if (i > 0) times.push_back(MPI_Wtime() - start);  // the first one waits for the visitor's start
  }
  waitpid(visitor, nullptr, 0);
  MPI_Close_port(port);
  const double shown = options.best ? *std::min_element(times.begin(), times.end()) : middle(times);
  print_figure("connect", 8, 1e3 * shown, "ms");
}

}  // namespace

int main(int argc, char** argv) {
  self = argv[0];
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Comm_disconnect(&parent);
  } else if (argc == 3 && std::strcmp(argv[1], kVisitor) == 0) {
    visit(argv[2]);
  } else {
    const Options options = parse_options(argc, argv);
    measure_spawn(options, "spawn_1", 1);
    measure_spawn(options, "spawn_8", 8);
    measure_connect(options);
  }
  MPI_Finalize();
  return 0;
}
