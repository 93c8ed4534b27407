// SPDX-License-Identifier: BSD-3-Clause
// Tasks of very different length, which the ranks take from one counter: whoever is free draws the
// next number. MPI_Fetch_and_op is all the scheduling there is.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTasks = 300 };

// Task i counts the steps of the Collatz sequence that begins with i + 1.
static long work_on(long task) {
  long steps = 0;
  for (long n = task + 1; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

static long next_task(MPI_Win counter) {
  const long one = 1;
  long task = 0;
  MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, counter);
  MPI_Win_flush(0, counter);
  return task;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  long* counter;
  MPI_Win window;
  MPI_Win_allocate(rank == 0 ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &counter, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  if (rank == 0) *counter = 0;
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);

  long mine[2] = {0, 0};  // tasks done, and the sum of their results
  for (long task; (task = next_task(window)) < kTasks; ++mine[0]) mine[1] += work_on(task);
  MPI_Win_unlock_all(window);

  long all[2] = {0, 0}, expected = 0;
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  for (long task = 0; task < kTasks; ++task) expected += work_on(task);
  const int right = all[0] == kTasks && all[1] == expected;
  if (rank == 0)
    printf("work queue: %d tasks on %d ranks, %s\n", kTasks, ranks, right ? "right" : "WRONG");
  MPI_Win_free(&window);
  MPI_Finalize();
  return !right;
}
