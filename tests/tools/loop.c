/* SPDX-License-Identifier: BSD-3-Clause */
/* A program to be watched: two ranks exchange messages. With an argument it asks for threads. */
#include <mpi.h>

int main(int argc, char** argv) {
  enum { kRounds = 20000 };
  int rank = 0, size = 0, provided = 0;
  char data[64] = {0};
  if (argc > 1)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < kRounds && size > 1 && rank < 2; ++i)
    MPI_Sendrecv_replace(data, sizeof data, MPI_CHAR, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
