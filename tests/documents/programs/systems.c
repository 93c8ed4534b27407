// SPDX-License-Identifier: BSD-3-Clause
// The program of docs/impi.md: a send and a synchronous send between systems, and a barrier.
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, size;
  char text[5] = {'h', 'e', 'l', 'l', 'o'}, more[4] = {1, 2, 3, 4};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    MPI_Send(text, 5, MPI_BYTE, size - 1, 7, MPI_COMM_WORLD);
    MPI_Ssend(more, 4, MPI_BYTE, size - 1, 8, MPI_COMM_WORLD);
  } else if (rank == size - 1) {
    MPI_Recv(text, 5, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(more, 4, MPI_BYTE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
