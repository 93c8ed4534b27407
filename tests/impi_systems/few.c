/* SPDX-License-Identifier: BSD-3-Clause
 * A job of few packets, whose trace is compared with a golden one. Two systems of one process. */
#include "check.h"

int main(int argc, char** argv) {
  char text[6] = "hello";
  char large[300] = {0};
  int rank, number = 0x01020304;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(text, 5, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    MPI_Ssend(&number, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    MPI_Send(large, 300, MPI_BYTE, 1, 9, MPI_COMM_WORLD); /* three packets of at most 128 bytes */
  } else {
    MPI_Recv(text, 5, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(large, 300, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
