// SPDX-License-Identifier: BSD-3-Clause
// Updates at random places of a table that is spread over all ranks, and how many of them a second
// does. To apply an exclusive or twice restores the table, which checks them.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWords = 1024, kUpdates = 2000, kAtOnce = 100 };  // per rank

static uint64_t next_random(uint64_t state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^ state << 17;
}

static void update(MPI_Win window, int rank, int ranks) {
  uint64_t random = 88172645463325252u + (uint64_t)rank;
  uint64_t values[kAtOnce];
  for (int i = 0; i < kUpdates; ++i) {
    random = next_random(random);
    values[i % kAtOnce] = random;
    MPI_Accumulate(&values[i % kAtOnce], 1, MPI_UINT64_T, (int)(random % (uint64_t)ranks),
                   (MPI_Aint)(random >> 32) % kWords, 1, MPI_UINT64_T, MPI_BXOR, window);
    if (i % kAtOnce == kAtOnce - 1) MPI_Win_flush_local_all(window);
  }
  MPI_Win_flush_all(window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0, wrong_in_all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t* table;
  MPI_Win window;
  MPI_Win_allocate(kWords * sizeof *table, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &table,
                   &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  for (int i = 0; i < kWords; ++i) table[i] = (uint64_t)i;
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);

  const double start = MPI_Wtime();
  update(window, rank, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  int changed = 0, changed_in_all = 0;
  MPI_Win_sync(window);
  for (int i = 0; i < kWords; ++i) changed += table[i] != (uint64_t)i;
  MPI_Barrier(MPI_COMM_WORLD);
  update(window, rank, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  for (int i = 0; i < kWords; ++i) wrong += table[i] != (uint64_t)i;

  MPI_Allreduce(&changed, &changed_in_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&wrong, &wrong_in_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int right = wrong_in_all == 0 && changed_in_all > 0;
  if (rank == 0)
    printf("random updates: %.2f million a second on %d ranks, %s\n",
           (double)kUpdates * ranks / seconds * 1e-6, ranks, right ? "right" : "WRONG");
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return !right;
}
