// SPDX-License-Identifier: BSD-3-Clause
// Turns between jobs that measure the same thing: one measures while the others sleep. The state of
// a machine then changes for all of them alike.
//
// The environment variable BENCH_TURNS names a folder with two FIFOs. Who hands out the turns
// writes a byte for each rank into `go`; rank 0 writes a byte into `done` when the turn is over.
// Without the variable a job always has its turn.
#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tessera::bench {

class Turns {
 public:
  Turns() {
    const char* const folder = std::getenv("BENCH_TURNS");
    if (folder == nullptr) return;
    go_ = opened(std::string(folder) + "/go", O_RDONLY);
    done_ = opened(std::string(folder) + "/done", O_WRONLY);
  }

  bool taken() const { return go_ >= 0; }

  /// Collective. Ends the turn of this job and sleeps until the next one.
  void pass() const {
    if (!taken()) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    char byte = 0;
    const bool told = rank != 0 || write(done_, &byte, 1) == 1;
    if (!told || read(go_, &byte, 1) != 1) {
      std::fprintf(stderr, "bench: nobody hands out turns any more\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  static int opened(const std::string& path, int mode) {
    const int file = open(path.c_str(), mode | O_CLOEXEC);
    if (file < 0) {
      std::perror(path.c_str());
      std::exit(1);
    }
    return file;
  }

  int go_ = -1, done_ = -1;
};

/// Those of this process.
inline const Turns& turns() {
  static const Turns instance;
  return instance;
}

}  // namespace tessera::bench
