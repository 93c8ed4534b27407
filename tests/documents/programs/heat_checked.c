// SPDX-License-Identifier: BSD-3-Clause
// The program of docs/misuse.md: rank 2 changes a send buffer too early and never frees three
// types.
#include <mpi.h>

static void halo(int rank) {
  MPI_Datatype column;
  for (int i = 0; i < 3 && rank == 2; ++i) MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
}

static void exchange(int rank) {
  MPI_Request request;
  double cell = 1;
  if (rank == 2) {
    MPI_Isend(&cell, 1, MPI_DOUBLE, 3, 0, MPI_COMM_WORLD, &request);
    cell = 2;
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  } else if (rank == 3) {
    MPI_Recv(&cell, 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  halo(rank);
  exchange(rank);
  MPI_Finalize();
}
