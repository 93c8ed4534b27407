/* SPDX-License-Identifier: BSD-3-Clause
   A program linked with a profiling library that replaces MPI_Send alone; everything else is the
   MPI library's. */
#include <mpi.h>
#include <stdio.h>

#include "send_profile.h"

/* ex 8.4.1, ex 8.4.2a, req 8.2.2, req 8.2.9: the totals are right, and the program does what it
 * did. */
int main(void) {
  double numbers[6] = {0, 0, 0, 0, 0, 0};
  int rank, right = 1, all = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int count = 1; count <= 5; count++) {
    numbers[0] = count;
    if (rank == 0) MPI_Send(numbers, count, MPI_DOUBLE, 1, count, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(numbers, 6, MPI_DOUBLE, 0, count, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(numbers, 6, MPI_DOUBLE, 1,
              MPI_COMM_WORLD); /* not profiled: sends inside do not count */
    right = right && numbers[0] > count - 0.5 && numbers[0] < count + 0.5;
  }
  right = right && profiled_bytes == (rank == 0 ? 15 * (long long)sizeof(double) : 0) &&
          profiled_seconds >= 0;
  if (!right)
    fprintf(stderr, "rank %d: %lld bytes, %g seconds\n", rank, profiled_bytes, profiled_seconds);
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  MPI_Finalize();
  return all ? 0 : 1;
}
