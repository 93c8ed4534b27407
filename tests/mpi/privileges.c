/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts MPI and says with which rights; privileges.py runs it. */
#include <mpi.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(int argc, char** argv) {
  printf("secure=%lu\n", getauxval(AT_SECURE));
  fflush(stdout);
  MPI_Init(&argc, &argv);
  printf("started\n");
  MPI_Finalize();
  return 0;
}
