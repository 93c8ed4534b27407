// SPDX-License-Identifier: BSD-3-Clause
// A session may begin after MPI_Finalize, also the first one of a program; several, one after the
// other.
#include "sessions.h"

static void once(const char* tag) {
  MPI_Session session = open_session();
  MPI_Comm comm = comm_of(session, "mpi://WORLD", tag);
  use(comm);
  MPI_Comm_free(&comm);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  int flag = 0;
  MPI_Init(&argc, &argv);
  use(MPI_COMM_WORLD);
  MPI_Finalize();
  once("first");
  once("second");
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag);
  return failures == 0 ? 0 : 1;
}
