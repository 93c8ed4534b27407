/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs for several MPI systems share: CHECK, and who this process is. */
#ifndef CHECK_H
#define CHECK_H

#include <impi.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                                   \
  do {                                                                                \
    if (!(what)) {                                                                    \
      fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, me, #what); \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                   \
    }                                                                                 \
  } while (0)

static int me = -1, size = 0, color = 0, systems = 0;

static inline void look_around(void) {
  int flag = 0;
  int* value = NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_attr(MPI_COMM_WORLD, IMPI_CLIENT_SIZE, &value, &flag);
  CHECK(flag);
  systems = *value;
  MPI_Comm_get_attr(MPI_COMM_WORLD, IMPI_CLIENT_COLOR, &value, &flag);
  color = *value;
  CHECK(color >= 0 && color < systems);
}

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  look_around();
}

/* The output of a test that went well: one line. */
static void end(const char* name) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) printf("%s: %d ranks on %d systems\n", name, size, systems);
  MPI_Finalize();
}

#endif
