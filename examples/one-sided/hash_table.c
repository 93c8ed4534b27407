// SPDX-License-Identifier: BSD-3-Clause
// A hash table spread over all ranks: each inserts keys and looks up those of the others, and no
// rank ever answers. One epoch of MPI_Win_lock_all, atomic operations and flushes.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kKeys = 200, kSlots = 1024 };  // per rank; keys are at least 1, so that 0 is an empty slot

struct table {
  MPI_Win keys, values;  // slot i of each rank belongs together
  int ranks;
};

static struct table make_table(int ranks) {
  struct table table = {.ranks = ranks};
  int64_t *keys, *values;
  const MPI_Aint bytes = kSlots * (MPI_Aint)sizeof(int64_t);
  MPI_Win_allocate(bytes, sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &keys, &table.keys);
  MPI_Win_allocate(bytes, sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &values, &table.values);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, table.keys);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, table.values);
  for (int i = 0; i < kSlots; ++i) keys[i] = 0;
  MPI_Win_sync(table.keys);
  MPI_Barrier(MPI_COMM_WORLD);
  return table;
}

static void free_table(struct table* table) {
  MPI_Win_unlock_all(table->keys);
  MPI_Win_unlock_all(table->values);
  MPI_Win_free(&table->keys);
  MPI_Win_free(&table->values);
}

static uint64_t hash_of(int64_t key) {
  return (uint64_t)key * 0x9e3779b97f4a7c15u >> 20;
}

// Claims the first slot after the key's own one that is empty. Returns 0 where there is none.
static int insert(struct table* table, int64_t key, int64_t value) {
  const uint64_t hash = hash_of(key);
  const int owner = (int)(hash % (uint64_t)table->ranks);
  for (int probe = 0; probe < kSlots; ++probe) {
    const MPI_Aint slot = (MPI_Aint)((hash / (uint64_t)table->ranks + (uint64_t)probe) % kSlots);
    const int64_t empty = 0;
    int64_t found = -1;
    MPI_Compare_and_swap(&key, &empty, &found, MPI_INT64_T, owner, slot, table->keys);
    MPI_Win_flush(owner, table->keys);
    if (found != empty) continue;
    MPI_Accumulate(&value, 1, MPI_INT64_T, owner, slot, 1, MPI_INT64_T, MPI_REPLACE, table->values);
    MPI_Win_flush(owner, table->values);
    return 1;
  }
  return 0;
}

static int64_t read_word(MPI_Win window, int owner, MPI_Aint slot) {
  int64_t word = 0;
  MPI_Fetch_and_op(NULL, &word, MPI_INT64_T, owner, slot, MPI_NO_OP, window);
  MPI_Win_flush(owner, window);
  return word;
}

// The value of the key, or -1.
static int64_t look_up(struct table* table, int64_t key) {
  const uint64_t hash = hash_of(key);
  const int owner = (int)(hash % (uint64_t)table->ranks);
  for (int probe = 0; probe < kSlots; ++probe) {
    const MPI_Aint slot = (MPI_Aint)((hash / (uint64_t)table->ranks + (uint64_t)probe) % kSlots);
    const int64_t found = read_word(table->keys, owner, slot);
    if (found == key) return read_word(table->values, owner, slot);
    if (found == 0) return -1;
  }
  return -1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct table table = make_table(ranks);

  for (int i = 0; i < kKeys; ++i) {
    const int64_t key = 1 + (int64_t)i * ranks + rank;
    wrong += !insert(&table, key, 3 * key);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int other = (rank + 1) % ranks;
  for (int i = 0; i < kKeys; ++i) {
    const int64_t key = 1 + (int64_t)i * ranks + other;
    wrong += look_up(&table, key) != 3 * key;
  }
  wrong += look_up(&table, 1 + (int64_t)kKeys * ranks) != -1;

  int wrong_in_all = 0;
  MPI_Allreduce(&wrong, &wrong_in_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("hash table: %d keys on %d ranks, %s\n", kKeys * ranks, ranks,
           wrong_in_all == 0 ? "right" : "WRONG");
  }
  free_table(&table);
  MPI_Finalize();
  return wrong_in_all != 0;
}
