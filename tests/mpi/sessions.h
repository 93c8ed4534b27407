// SPDX-License-Identifier: BSD-3-Clause
// What the tests of sessions share. Unlike check.h, nothing here needs the World Model.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

// A macro for the text of the condition and the place.
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

static inline void check(int right, const char* what, const char* file, int line) {
  if (right || ++failures > 10) return;
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
}

static inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

static inline MPI_Session open_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  CHECK(session != MPI_SESSION_NULL);
  return session;
}

static inline MPI_Group group_of(MPI_Session session, const char* set) {
  MPI_Group group = MPI_GROUP_NULL;
  CHECK(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS);
  return group;
}

static inline MPI_Comm comm_of(MPI_Session session, const char* set, const char* tag) {
  MPI_Group group = group_of(session, set);
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
        MPI_SUCCESS);
  CHECK(MPI_Group_free(&group) == MPI_SUCCESS);
  return comm;
}

static inline int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static inline int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

// Collectives and messages work on the communicator.
static inline void use(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  int mine = rank + 1, sum = 0, from = -1;
  CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(sum == size * (size + 1) / 2);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  CHECK(MPI_Sendrecv(&rank, 1, MPI_INT, right, 7, &from, 1, MPI_INT, left, 7, comm,
                     MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(from == left);
}
