// SPDX-License-Identifier: BSD-3-Clause
// A fair lock (Mellor-Crummey and Scott, 1991): a queue of the ranks that want it. Each waits for a
// word in its own memory, so that nobody polls another rank's.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 50 };
enum { kNobody = -1 };

// Each rank's part of the window. `last` counts on rank 0 only: the end of the queue.
enum word { kNext, kWaits, kLast, kWords };

struct mcs_lock {
  MPI_Win window;
  int rank;
};

static int exchange(struct mcs_lock* lock, int value, int target, enum word word) {
  int before = 0;
  MPI_Fetch_and_op(&value, &before, MPI_INT, target, word, MPI_REPLACE, lock->window);
  MPI_Win_flush(target, lock->window);
  return before;
}

static int load(struct mcs_lock* lock, int target, enum word word) {
  int value = 0;
  MPI_Fetch_and_op(NULL, &value, MPI_INT, target, word, MPI_NO_OP, lock->window);
  MPI_Win_flush(target, lock->window);
  return value;
}

static struct mcs_lock make_lock(void) {
  struct mcs_lock lock;
  int* words;
  MPI_Comm_rank(MPI_COMM_WORLD, &lock.rank);
  MPI_Win_allocate(kWords * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &words,
                   &lock.window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, lock.window);
  words[kNext] = words[kLast] = kNobody;
  words[kWaits] = 0;
  MPI_Win_sync(lock.window);
  MPI_Barrier(MPI_COMM_WORLD);
  return lock;
}

static void free_lock(struct mcs_lock* lock) {
  MPI_Win_unlock_all(lock->window);
  MPI_Win_free(&lock->window);
}

static void acquire(struct mcs_lock* lock) {
  exchange(lock, kNobody, lock->rank, kNext);
  exchange(lock, 1, lock->rank, kWaits);
  const int before = exchange(lock, lock->rank, 0, kLast);
  if (before == kNobody) return;
  exchange(lock, lock->rank, before, kNext);
  while (load(lock, lock->rank, kWaits) != 0) continue;
}

static void release(struct mcs_lock* lock) {
  const int nobody = kNobody;
  int last = 0;
  if (load(lock, lock->rank, kNext) == kNobody) {
    MPI_Compare_and_swap(&nobody, &lock->rank, &last, MPI_INT, 0, kLast, lock->window);
    MPI_Win_flush(0, lock->window);
    if (last == lock->rank) return;  // the queue is empty
  }
  int next;  // which may not have said yet that it comes next
  while ((next = load(lock, lock->rank, kNext)) == kNobody) continue;
  exchange(lock, 0, next, kWaits);
}

// Reads and writes, which only the lock keeps apart from those of others.
static void add_one(MPI_Win window) {
  int number = 0;
  MPI_Get(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_flush(0, window);
  ++number;
  MPI_Put(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_flush(0, window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks, *number;
  MPI_Win window;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct mcs_lock lock = make_lock();
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &number, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  *number = 0;
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);

  for (int i = 0; i < kRounds; ++i) {
    acquire(&lock);
    add_one(window);
    release(&lock);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  int result = *number;
  MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const int right = result == kRounds * ranks;
  if (lock.rank == 0)
    printf("MCS lock: %d of %d increments on %d ranks, %s\n", result, kRounds * ranks, ranks,
           right ? "right" : "WRONG");
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  free_lock(&lock);
  MPI_Finalize();
  return !right;
}
