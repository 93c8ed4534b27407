/* SPDX-License-Identifier: BSD-3-Clause
   A known number of operations from each rank to the next one, of every kind and in every kind of
   epoch, on windows of two flavors; the second one is not freed when there is an argument. */
#include <mpi.h>

enum { kInts = 64 };

static void operations(MPI_Win win, int to) {
  int data[kInts] = {0}, result[kInts], one = 1, zero = 0;
  MPI_Request request;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win);
  MPI_Put(data, 25, MPI_INT, to, 0, 25, MPI_INT, win);
  MPI_Put(data, 25, MPI_INT, to, 0, 25, MPI_INT, win);
  MPI_Win_flush(to, win);
  MPI_Get(result, 10, MPI_INT, to, 0, 10, MPI_INT, win);
  MPI_Win_flush_local(to, win);
  MPI_Win_unlock(to, win);
  MPI_Win_lock_all(0, win);
  MPI_Rput(data, 1, MPI_INT, to, 0, 1, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Accumulate(data, 8, MPI_INT, to, 0, 8, MPI_INT, MPI_SUM, win);
  MPI_Get_accumulate(data, 4, MPI_INT, result, 4, MPI_INT, to, 0, 4, MPI_INT, MPI_SUM, win);
  MPI_Fetch_and_op(&one, result, MPI_INT, to, 0, MPI_SUM, win);
  MPI_Compare_and_swap(&one, &zero, result, MPI_INT, to, 0, win);
  MPI_Win_flush_all(win);
  MPI_Win_unlock_all(win);
  MPI_Win_fence(0, win);
  MPI_Get(result, 0, MPI_INT, to, 0, 0, MPI_INT, win); /* moves nothing */
  MPI_Get(result, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, win);
  MPI_Win_fence(0, win);
}

static void neighbours(MPI_Win win, int rank, int to, int from) {
  int data[kInts] = {0};
  MPI_Group all, origin, target;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &from, &origin);
  MPI_Group_incl(all, 1, &to, &target);
  MPI_Win_post(origin, 0, win);
  MPI_Win_start(target, 0, win);
  MPI_Put(data, rank + 1, MPI_INT, to, 0, rank + 1, MPI_INT, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
  MPI_Group_free(&all);
}

int main(int argc, char** argv) {
  int rank, size, *memory, given[kInts];
  static MPI_Win created; /* where LeakSanitizer finds it, when nobody frees it */
  MPI_Win allocated;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Win_allocate(sizeof given, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &allocated);
  MPI_Win_create(given, sizeof given, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &created);
  operations(allocated, to);
  neighbours(created, rank, to, from);
  MPI_Win_free(&allocated);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc == 1) MPI_Win_free(&created);
  MPI_Finalize();
  return 0;
}
