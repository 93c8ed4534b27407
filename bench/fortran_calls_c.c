/* SPDX-License-Identifier: BSD-3-Clause
   The calls of C that bench/fortran_calls.f90 compares with. */
#include <mpi.h>

void c_ranks(int calls);
void c_sends(int calls);

void c_ranks(int calls) {
  int rank = 0;
  for (int i = 0; i < calls; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

void c_sends(int calls) {
  const int buffer[4] = {0};
  for (int i = 0; i < calls; ++i) MPI_Send(buffer, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}
