// SPDX-License-Identifier: BSD-3-Clause
// The smallest MPI program: every rank says who it is and where it runs.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, length = 0;
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(host, &length);
  printf("Hello from rank %d of %d on %s\n", rank, size, host);
  MPI_Finalize();
  return 0;
}
