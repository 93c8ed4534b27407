// SPDX-License-Identifier: BSD-3-Clause
// What the programs of this folder share: checks that end the job with a line that says where.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace rma {

[[noreturn]] inline void fail(const char* file, int line, const char* what, long long got,
                              long long wanted) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "%s:%d: rank %d: %s is %lld, not %lld\n", file, line, rank, what, got,
               wanted);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace rma

#define CHECK_EQUAL(value, wanted)                                             \
  do {                                                                         \
    const long long got_ = static_cast<long long>(value);                      \
    const long long wanted_ = static_cast<long long>(wanted);                  \
    if (got_ != wanted_) rma::fail(__FILE__, __LINE__, #value, got_, wanted_); \
  } while (false)
#define CHECK(condition) CHECK_EQUAL((condition) ? 1 : 0, 1)
#define CHECK_CLASS(call, error_class) CHECK_EQUAL(rma::class_of(call), error_class)
