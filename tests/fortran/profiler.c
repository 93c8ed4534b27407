/* SPDX-License-Identifier: BSD-3-Clause
   A profiler of C functions that sees the calls of Fortran. */
#include <mpi.h>

int tool_sends;

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  ++tool_sends;
  return PMPI_Send(buf, count, type, dest, tag, comm);
}

void tool_count_(int* sends) {
  *sends = tool_sends;
}
