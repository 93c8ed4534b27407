/* SPDX-License-Identifier: BSD-3-Clause */
/* A manager spawns workers and hands out tasks: each worker that is free gets the next one. The
   program is both.

       mpiexec -n 1 ./workers 4 1000      or alone: ./workers 4 1000
*/
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTask = 1, kResult = 2, kStop = 3 };

static long steps_to_one(long n) { /* a task: the length of the Collatz sequence */
  long steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

static void work(MPI_Comm manager) {
  MPI_Status status;
  long task, result = -1;
  MPI_Send(&result, 1, MPI_LONG, 0, kResult, manager); /* free */
  while (1) {
    MPI_Recv(&task, 1, MPI_LONG, 0, MPI_ANY_TAG, manager, &status);
    if (status.MPI_TAG == kStop) return;
    result = steps_to_one(task);
    MPI_Send(&result, 1, MPI_LONG, 0, kResult, manager);
  }
}

static long manage(MPI_Comm workers, int count, long tasks) {
  long next = 1, result, longest = 0;
  for (int working = count; working > 0;) {
    MPI_Status status;
    MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, kResult, workers, &status);
    if (result > longest) longest = result;
    const int more = next <= tasks;
    MPI_Send(&next, 1, MPI_LONG, status.MPI_SOURCE, more ? kTask : kStop, workers);
    if (more)
      ++next;
    else
      --working;
  }
  return longest;
}

int main(int argc, char** argv) {
  MPI_Comm other;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&other);
  if (other != MPI_COMM_NULL) {
    work(other);
  } else {
    const int count = argc > 1 ? atoi(argv[1]) : 2;
    const long tasks = argc > 2 ? atol(argv[2]) : 1000;
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, count, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other,
                   MPI_ERRCODES_IGNORE);
    printf("%d workers: of 1 to %ld the longest sequence has %ld steps\n", count, tasks,
           manage(other, count, tasks));
  }
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
