/* SPDX-License-Identifier: BSD-3-Clause
   A known number of messages round a ring, sent in every way: per rank 1 blocking, 1 nonblocking, 3
   starts of a persistent one, 1 start of one that is freed while active; 100 bytes each. Then a
   bcast. */
#include <mpi.h>

enum { kBytes = 100, kMessages = 6 };

int main(int argc, char** argv) {
  int rank, size;
  char out[kBytes] = {0}, in[kMessages][kBytes];
  MPI_Request receives[kMessages], sent, again, once;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int i = 0; i < kMessages; i++)
    MPI_Irecv(in[i], kBytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, &receives[i]);
  MPI_Send(out, kBytes, MPI_CHAR, to, 0, MPI_COMM_WORLD);
  MPI_Isend(out, kBytes, MPI_CHAR, to, 0, MPI_COMM_WORLD, &sent);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Send_init(out, kBytes, MPI_CHAR, to, 0, MPI_COMM_WORLD, &again);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&again);
  MPI_Ssend_init(out, kBytes, MPI_CHAR, to, 0, MPI_COMM_WORLD, &once);
  MPI_Start(&once);
  MPI_Request_free(&once);
  MPI_Waitall(kMessages, receives, MPI_STATUSES_IGNORE);
  MPI_Bcast(out, kBytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
