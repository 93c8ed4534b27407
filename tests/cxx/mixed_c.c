/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

int sum_in_c(MPI_Comm comm, MPI_Op op, MPI_Datatype type, int mine);

int sum_in_c(MPI_Comm comm, MPI_Op op, MPI_Datatype type, int mine) {
  int sum = -1;
  MPI_Allreduce(&mine, &sum, 1, type, op, comm);
  return sum;
}
