/* SPDX-License-Identifier: BSD-3-Clause */
/* The rank that the argument names says its process id when all are there; then all wait for what
 * never comes: req impi 7.6. */
#include <unistd.h>

#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == (argc > 1 ? atoi(argv[1]) : size - 1)) {
    printf("pid %ld\n", (long)getpid());
    fflush(stdout);
  }
  MPI_Recv(NULL, 0, MPI_INT, (me + 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  end("wait");
  return 0;
}
