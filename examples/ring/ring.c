// SPDX-License-Identifier: BSD-3-Clause
// A token travels round the ring of ranks; each rank adds its number, rank 0 checks the sum.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Passes the token once round the ring: rank 0 starts it and is the last to get it. Returns the
// token as it left here.
static long pass_token(int rank, int size, long token) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  if (rank == 0) {
    MPI_Request sent;
    MPI_Isend(&token, 1, MPI_LONG, next, 0, MPI_COMM_WORLD, &sent);
    long arrived = 0;
    MPI_Recv(&arrived, 1, MPI_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    return arrived;
  }
  MPI_Recv(&token, 1, MPI_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  token += rank;
  MPI_Send(&token, 1, MPI_LONG, next, 0, MPI_COMM_WORLD);
  return token;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
  if (rounds < 1) {
    if (rank == 0)
      fprintf(stderr, "ring: '%s' is not a number of rounds; give 1 or more\n", argv[1]);
    MPI_Finalize();
    return 1;
  }

  const double start = MPI_Wtime();
  long token = 0;
  for (long round = 0; round < rounds; ++round)
    token = pass_token(rank, size, rank == 0 ? token : 0);
  const double elapsed = MPI_Wtime() - start;

  if (rank == 0) {
    const long expected = rounds * ((long)size * (size - 1) / 2);
    failed = token != expected;
    printf("%ld rounds over %d ranks: token %ld (%s), %.3f us per hop\n", rounds, size, token,
           failed ? "WRONG" : "right", 1e6 * elapsed / ((double)rounds * size));
  }
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
