/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of this folder share: a check that ends the job with a line that says where. */
#ifndef TESSERA_TESTS_DYNAMIC_CHECK_H
#define TESSERA_TESTS_DYNAMIC_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 3);                                           \
    }                                                                         \
  } while (0)

static int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

#endif
