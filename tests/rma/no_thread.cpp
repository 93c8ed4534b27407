// SPDX-License-Identifier: BSD-3-Clause
// A window of processes that a network separates, in a process that may not start threads.
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

// In place of that of the C library, for the whole process.
extern "C" int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) {
  return EAGAIN;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 2; ++round) {
    int* sum = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate(sizeof *sum, sizeof *sum, MPI_INFO_NULL, MPI_COMM_WORLD, &sum, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    *sum = 0;
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    const int mine = rank + 1;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Accumulate(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && round == 1) printf("the sum is %d\n", *sum);
    MPI_Win_free(&window);
  }
  MPI_Finalize();
  return 0;
}
