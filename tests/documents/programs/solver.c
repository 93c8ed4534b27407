// SPDX-License-Identifier: BSD-3-Clause
// The program of docs/recovery.md: rank 2 dies, and the others end well.
#include <mpi.h>
#include <signal.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 2) raise(SIGKILL);
  int one = 1, sum = 0;
  const int code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int kind = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &kind);
  if (kind != MPI_ERR_PROC_ABORTED) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}
