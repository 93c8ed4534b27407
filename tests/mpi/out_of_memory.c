// SPDX-License-Identifier: BSD-3-Clause
// A job of one process that starts, sends itself a message, reduces, and ends. Run by
// out_of_memory.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

// Calls a function of failing_malloc.c.
static void tell(const char* function) {
  void (*called)(void) = NULL;
  *(void**)&called = dlsym(RTLD_DEFAULT, function);
  if (called != NULL) called();
}

int main(int argc, char** argv) {
  int rank, size, got = -1, sum = -1;
  tell("count_allocations");
  MPI_Init(&argc, &argv);
  tell("mark_allocations");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(&size, 1, MPI_INT, rank, 0, &got, 1, MPI_INT, rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == 1 ? 0 : 3;
}
