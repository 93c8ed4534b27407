// SPDX-License-Identifier: BSD-3-Clause
// The program of docs/hangs.md. Three ranks can never go on: rank 0 waits for tag 8 and rank 2 has
// sent tag 7. Of two ranks, rank 1 computes for ever, so that there is no verdict.
#include <mpi.h>
#include <string.h>

static void exchange(int rank, int size, double* cells, int count) {
  if (rank == 0)
    MPI_Recv(cells, count, MPI_DOUBLE, size - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (rank == size - 1)
    MPI_Send(cells, count, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  double cells[100];
  memset(cells, 0, sizeof cells);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  exchange(rank, size, cells, 100);
  for (volatile int step = 0; size == 2 && rank == 1;) step = step ^ 1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
