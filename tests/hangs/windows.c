/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that hang on a window, each in its own way: windows NAME. A lock is there when an
 * access has been flushed (MPI-5.0 12.5.3); then others are told to want it. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int rank, size, number;
static MPI_Win window;

static void receive_from(int source) {
  MPI_Recv(&number, 1, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void hold(int kind, int target) {
  MPI_Win_lock(kind, target, 0, window);
  MPI_Get(&number, 1, MPI_INT, target, 0, 1, MPI_INT, window);
  MPI_Win_flush(target, window);
}

static void want(int kind, int target) {
  MPI_Win_lock(kind, target, 0, window);
  MPI_Put(&number, 1, MPI_INT, target, 0, 1, MPI_INT, window);
  MPI_Win_unlock(target, window);
}

static MPI_Group group_of(int count, const int* ranks) {
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, count, ranks, &some);
  return some;
}

static void lock_cycle(void) {
  hold(MPI_LOCK_EXCLUSIVE, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  want(MPI_LOCK_EXCLUSIVE, 1 - rank);
  MPI_Win_unlock(rank, window);
}

static void lock_cycle_of_three(void) {
  hold(MPI_LOCK_EXCLUSIVE, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  want(MPI_LOCK_SHARED, (rank + 1) % size);
}

static void holder_receives(void) {
  if (rank == 0) hold(MPI_LOCK_EXCLUSIVE, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) receive_from(1);
  want(MPI_LOCK_EXCLUSIVE, 1);
}

static void target_computes(void) { /* for ever; it is none of its business */
  if (rank == 0) hold(MPI_LOCK_EXCLUSIVE, 2);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) receive_from(1);
  for (; rank == 2;) pause();
  want(MPI_LOCK_SHARED, 2);
}

static void shared_against_exclusive(void) {
  if (rank < 2) hold(MPI_LOCK_SHARED, 2);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank < 2) receive_from(2);
  want(MPI_LOCK_EXCLUSIVE, 2);
}

static void lock_all_against_exclusive(void) {
  if (rank == 0) hold(MPI_LOCK_EXCLUSIVE, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) receive_from(1);
  MPI_Win_lock_all(0, window);
}

static void exclusive_against_lock_all(void) {
  if (rank == 0) MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) receive_from(1);
  want(MPI_LOCK_EXCLUSIVE, 0);
}

static void lock_flushed(void) {
  hold(MPI_LOCK_EXCLUSIVE, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
  MPI_Put(&number, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
  MPI_Win_flush(1 - rank, window);
}

static void lock_fetched(void) {
  const int one = 1;
  hold(MPI_LOCK_EXCLUSIVE, rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
  MPI_Fetch_and_op(&one, &number, MPI_INT, 1 - rank, 0, MPI_SUM, window);
  MPI_Win_unlock(1 - rank, window);
}

static void start_without_post(void) {
  const int other = 1 - rank;
  MPI_Win_start(group_of(1, &other), 0, window);
  MPI_Put(&number, 1, MPI_INT, other, 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
}

static void one_has_not_posted(void) {
  const int targets[] = {1, 2}, origin = 0;
  if (rank == 0) MPI_Win_start(group_of(2, targets), 0, window);
  if (rank == 2) receive_from(0);
  MPI_Win_post(group_of(1, &origin), 0, window);
  MPI_Win_wait(window);
}

static void one_has_not_completed(void) {
  const int origins[] = {1, 2}, target = 0;
  if (rank == 0) {
    MPI_Win_post(group_of(2, origins), 0, window);
    MPI_Win_wait(window);
  }
  MPI_Win_start(group_of(1, &target), 0, window);
  if (rank == 1) MPI_Win_complete(window);
  receive_from(0);
}

static void fence_without_one(void) {
  if (rank == 0) receive_from(1);
  MPI_Win_fence(0, window);
}

static void free_without_one(void) {
  if (rank == 0) receive_from(1);
  MPI_Win_free(&window);
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {
#define CASE(name) \
  { #name, name }
    CASE(lock_cycle),
    CASE(lock_cycle_of_three),
    CASE(holder_receives),
    CASE(target_computes),
    CASE(shared_against_exclusive),
    CASE(lock_all_against_exclusive),
    CASE(exclusive_against_lock_all),
    CASE(lock_flushed),
    CASE(lock_fetched),
    CASE(start_without_post),
    CASE(one_has_not_posted),
    CASE(one_has_not_completed),
    CASE(fence_without_one),
    CASE(free_without_one)};

int main(int argc, char** argv) {
  int* memory;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  if (argc == 2) MPI_Win_set_name(window, "grid"); /* a third word: it has no name */
  MPI_Barrier(MPI_COMM_WORLD);
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, argv[1]) == 0) all[i].run();
  MPI_Finalize();
  return 0;
}
