/* SPDX-License-Identifier: BSD-3-Clause */
/* Three ranks that wait for ever, each in its own way; waits.py reads what mpiexec says of them. */
#include <mpi.h>

int main(int argc, char** argv) {
  int me;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &backwards);
  MPI_Comm_set_name(backwards, "backwards");
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) { /* rank 2 there; waits for rank 0 there, which is rank 2 of the job */
    double data[100];
    MPI_Recv(data, 100, MPI_DOUBLE, 0, 7, backwards, MPI_STATUS_IGNORE);
  } else if (me == 1) {
    int in[3];
    MPI_Request requests[3];
    for (int i = 0; i < 3; ++i) MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  } else {
    long in[5] = {0}, out[5];
    MPI_Allreduce(in, out, 5, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
