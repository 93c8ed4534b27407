// SPDX-License-Identifier: BSD-3-Clause
// CHECK, which reports and counts, and the end of a program.
#pragma once

#include <mpi.h>

#include <cstdio>

// Not a variable: those are inline from C++17 on only.
inline int& failures() {
  static int count = 0;
  return count;
}

// A macro for the text of the condition and the place.
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

inline void check(bool right, const char* what, const char* file, int line) {
  if (right || ++failures() > 10) return;
  std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
}

// For the return value of main().
inline int finish() {
  MPI_Finalize();
  return failures() == 0 ? 0 : 1;
}
