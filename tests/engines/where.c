/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 prints one line: size, ranks on its node, nodes, and a sum over all; or ends in the way
 * that is asked for. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void misbehave(const char* how, int rank, int last) {
  if (rank != last) {
    MPI_Barrier(MPI_COMM_WORLD); /* waits for the one that never comes */
    return;
  }
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "exit") == 0) _exit(3);
}

/* Every pair exchanges, so that each transport in use carries something; large enough to need a
 * rendezvous. */
static long exchange(int rank, int size) {
  enum { words = 50000 };
  static long mine[words], theirs[words];
  long wrong = 0;
  for (int shift = 0; shift < size; ++shift) {
    const int to = (rank + shift) % size, from = (rank - shift + size) % size;
    for (int i = 0; i < words; ++i) mine[i] = rank * 1000003L + i;
    MPI_Sendrecv(mine, words, MPI_LONG, to, 5, theirs, words, MPI_LONG, from, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < words; ++i) wrong += theirs[i] != from * 1000003L + i;
  }
  return wrong;
}

/* Sixteen megabytes to the right, some times. */
static void carry(int rank, int size) {
  enum { words = 2000000 };
  static long mine[words], theirs[words];
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < words; ++i) mine[i] = rank * 1000003L + round + i;
    MPI_Sendrecv(mine, words, MPI_LONG, to, 7, theirs, words, MPI_LONG, from, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < words; ++i)
      if (theirs[i] != from * 1000003L + round + i) MPI_Abort(MPI_COMM_WORLD, 4);
  }
}

/* What the engine tells when the program asks: of each rank its program, and the size of the
 * universe. */
static void tell_attributes(int rank, int size) {
  int *app, *universe, found, apps[64] = {0};
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &found);
  MPI_Gather(app, 1, MPI_INT, apps, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &found);
  if (rank != 0) return;
  printf("apps");
  for (int i = 0; i < size; ++i) printf(" %d", apps[i]);
  printf(" universe %d\n", *universe);
}

/* Iterates until it is ended; rank 0 says when all have begun. */
static void iterate(int rank, int size) {
  for (long step = 0;; ++step) {
    if (exchange(rank, size) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
    long mine = 1, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && step == 10) printf("iterating\n");
    fflush(stdout);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* For so many seconds: megabytes are under way while each rank computes, up to 30 s, without a call
 * of MPI. Sockets fill up, and nobody is dead. */
static void labour(int rank, int size, double seconds) {
  enum { words = 1000000 };
  static long mine[words], theirs[words];
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  const double end = now() + seconds;
  long rounds = 0;
  srand((unsigned)rank + 1);
  for (int more = 1; more; ++rounds) {
    MPI_Request both[2];
    int done;
    for (int i = 0; i < words; ++i) mine[i] = rank * 1000003L + rounds + i;
    MPI_Irecv(theirs, words, MPI_LONG, from, 6, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(mine, words, MPI_LONG, to, 6, MPI_COMM_WORLD, &both[1]);
    MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
    const double until = now() + (rounds % 4 == 3 ? 30.0 : 5.0) * rand() / RAND_MAX;
    while (now() < until && now() < end) continue;
    if (!done) MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    for (int i = 0; i < words; ++i)
      if (theirs[i] != from * 1000003L + rounds + i) MPI_Abort(MPI_COMM_WORLD, 4);
    more = now() < end;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0 && rounds == 0) printf("labouring\n");
    fflush(stdout);
  }
  if (rank == 0) printf("%ld rounds\n", rounds);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, local_rank, local_size, leaders, sum, first = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "iterate") == 0) iterate(rank, size);
  if (argc > 2 && strcmp(argv[1], "labour") == 0) {
    labour(rank, size, atof(argv[2]));
    MPI_Finalize();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "carry") == 0) {
    carry(rank, size);
    MPI_Finalize();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "nothing") == 0) {
    MPI_Finalize();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "attributes") == 0) {
    tell_attributes(rank, size);
    MPI_Finalize();
    return 0;
  }
  if (argc > 1) misbehave(argv[1], rank, size - 1);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local_rank);
  MPI_Comm_size(node, &local_size);
  first = local_rank == 0;
  MPI_Allreduce(&first, &leaders, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  long wrong = exchange(rank, size), all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("size %d local %d nodes %d sum %d wrong %ld\n", size, local_size, leaders, sum,
           all_wrong);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
