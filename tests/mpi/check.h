// SPDX-License-Identifier: BSD-3-Clause
// What the MPI test programs share: CHECK, which reports and counts, and the end of a program.
#pragma once

#include <mpi.h>

#include <cstdio>

inline int failures = 0;

// A macro for the text of the condition and the place.
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

inline void check(bool right, const char* what, const char* file, int line) {
  if (right || ++failures > 10) return;
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "%s:%d: rank %d: not so: %s\n", file, line, rank, what);
}

// For the return value of main().
inline int finish() {
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}

inline int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

// The class of what a call returned.
inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}
