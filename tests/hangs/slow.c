/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is slow and right: slow SECONDS TOTAL. In each round one rank computes for SECONDS
 * outside MPI while all others wait for it, each time in another way, until TOTAL seconds are over.
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { large = 1000 * 1000 };
static int rank, size, number;
static double seconds;
static char data[large];

static void compute(void) {
  const double end = MPI_Wtime() + seconds;
  const struct timespec some = {0, 20 * 1000 * 1000};
  while (MPI_Wtime() < end) nanosleep(&some, NULL);
}

static void barrier(int busy) {
  if (rank == busy) compute();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void chain(int busy) { /* each waits for the one before it */
  const int place = (rank - busy + size) % size;
  if (place == 0) compute();
  if (place > 0)
    MPI_Recv(&number, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (place < size - 1) MPI_Send(&number, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
}

static void large_sends(int busy) { /* they wait for their receiver */
  if (rank != busy) {
    MPI_Ssend(data, large, MPI_BYTE, busy, 2, MPI_COMM_WORLD);
    return;
  }
  compute();
  for (int i = 1; i < size; ++i)
    MPI_Recv(data, large, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void any_of_two(int busy) { /* one way is closed for ever */
  MPI_Request requests[2];
  int index;
  if (rank == busy) {
    compute();
    for (int i = 0; i < size; ++i)
      if (i != busy) MPI_Send(&number, 1, MPI_INT, i, 4, MPI_COMM_WORLD);
    return;
  }
  MPI_Irecv(&number, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void probes(int busy) {
  if (rank == busy) {
    compute();
    for (int i = 0; i < size; ++i)
      if (i != busy) MPI_Send(&number, 1, MPI_INT, i, 5, MPI_COMM_WORLD);
    return;
  }
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&number, 1, MPI_INT, busy, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void partitions(int busy) { /* marked one by one, between two computations */
  MPI_Request request;
  const int next = (busy + 1) % size;
  if (rank == busy)
    MPI_Psend_init(data, 4, large / 4, MPI_BYTE, next, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == next)
    MPI_Precv_init(data, 4, large / 4, MPI_BYTE, busy, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == busy || rank == next) {
    MPI_Start(&request);
    if (rank == busy) MPI_Pready(2, request);
    if (rank == busy) compute();
    if (rank == busy) MPI_Pready_range(0, 1, request), MPI_Pready(3, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void locks(int busy) { /* the one that computes holds the lock */
  MPI_Win window;
  MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == busy) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == busy)
    compute();
  else
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Win_unlock(0, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void nonblocking(int busy) {
  MPI_Request requests[2];
  int sum;
  if (rank == busy) compute();
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void new_communicator(int busy) {
  MPI_Comm half;
  if (rank == busy) compute();
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Comm_free(&half);
}

static void polls(int busy) {
  MPI_Request request;
  if (rank == busy) compute();
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  void (*const all[])(int) = {partitions, locks, any_of_two, large_sends,      nonblocking,
                              barrier,    chain, probes,     new_communicator, polls};
  const int kinds = (int)(sizeof all / sizeof *all);
  MPI_Init(&argc, &argv);
  seconds = argc > 1 ? atof(argv[1]) : 1;
  const double end = MPI_Wtime() + (argc > 2 ? atof(argv[2]) : 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0, go = 1; go; ++round) {
    all[round % kinds](round % size);
    go = MPI_Wtime() < end;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
