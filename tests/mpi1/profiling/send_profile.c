/* SPDX-License-Identifier: BSD-3-Clause
   A profiling library that replaces a single function: how many bytes were sent, and the time that
   took. */
#include "send_profile.h"

#include <mpi.h>

long long profiled_bytes;
double profiled_seconds;

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  int size = 0;
  const double begin = MPI_Wtime();
  const int code = PMPI_Send(buffer, count, type, dest, tag, comm);
  profiled_seconds += MPI_Wtime() - begin;
  MPI_Type_size(type, &size);
  profiled_bytes += (long long)count * size;
  return code;
}
