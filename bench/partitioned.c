/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned messages between two ranks, with every MPI 4.0: `partitioned [ROUNDS]`.
 *
 * Lines: what, partitions, bytes of each, microseconds per round (best of 7). A round is a start on
 * both sides, all partitions marked, both waits, and an empty message back. "one" is a persistent
 * message of the same bytes, "threads" marks with two threads. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRepeats = 7, kTag = 5, kMostThreads = 2 };

static int me;
static MPI_Request request;

struct part {
  int from, to;
};

static pthread_barrier_t begin_marking, end_marking;
static volatile int over;

static void mark(struct part part) {
  for (int p = part.from; p < part.to; ++p) MPI_Pready(p, request);
}

static void* marker(void* argument) {
  for (;;) {
    pthread_barrier_wait(&begin_marking);
    if (over) return NULL;
    mark(*(struct part*)argument);
    pthread_barrier_wait(&end_marking);
  }
}

/* Rank 1 tells that it is ready for the next one. */
static void answer(void) {
  if (me == 0)
    MPI_Recv(NULL, 0, MPI_CHAR, 1, kTag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(NULL, 0, MPI_CHAR, 0, kTag + 1, MPI_COMM_WORLD);
}

static double best(int rounds, void (*round)(void*), void* argument) {
  double least = 1e30;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) round(argument);
    const double time = (MPI_Wtime() - start) / rounds;
    if (time < least) least = time;
  }
  return least * 1e6;
}

static void one_round(void* unused) {
  (void)unused;
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  answer();
}

static void marked_round(void* argument) {
  MPI_Start(&request);
  if (me == 0) mark(*(struct part*)argument);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  answer();
}

static void threaded_round(void* argument) {
  MPI_Start(&request);
  if (me == 0) {
    pthread_barrier_wait(&begin_marking);
    mark(*(struct part*)argument);
    pthread_barrier_wait(&end_marking);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  answer();
}

static void make(char* data, int partitions, int bytes) {
  if (me == 0)
    MPI_Psend_init(data, partitions, bytes, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  else
    MPI_Precv_init(data, partitions, bytes, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
}

static void say(const char* what, int partitions, int bytes, double time) {
  if (me == 0) printf("%-10s %8d %8d %12.3f\n", what, partitions, bytes, time);
}

static void compare(char* data, int partitions, int bytes, int rounds) {
  struct part all = {0, partitions};
  if (me == 0)
    MPI_Send_init(data, partitions * bytes, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, &request);
  else
    MPI_Recv_init(data, partitions * bytes, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, &request);
  say("one", 1, partitions * bytes, best(rounds, one_round, NULL));
  MPI_Request_free(&request);
  make(data, partitions, bytes);
  say("marked", partitions, bytes, best(rounds, marked_round, &all));
  MPI_Request_free(&request);
}

static void compare_threads(char* data, int partitions, int bytes, int rounds) {
  struct part first = {0, partitions / 2}, second = {partitions / 2, partitions};
  pthread_t thread;
  pthread_barrier_init(&begin_marking, NULL, kMostThreads);
  pthread_barrier_init(&end_marking, NULL, kMostThreads);
  make(data, partitions, bytes);
  if (me == 0) pthread_create(&thread, NULL, marker, &second);
  say("threads", partitions, bytes, best(rounds, threaded_round, &first));
  over = 1;
  if (me == 0) {
    pthread_barrier_wait(&begin_marking);
    pthread_join(thread, NULL);
  }
  MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  int provided = 0, size = 0;
  const int rounds = argc > 1 ? atoi(argv[1]) : 500;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 || provided < MPI_THREAD_MULTIPLE) {
    if (me == 0) fprintf(stderr, "partitioned: two ranks and MPI_THREAD_MULTIPLE are needed\n");
    MPI_Finalize();
    return 2;
  }
  char* data = calloc(1, 1 << 21);
  compare(data, 1, 8, rounds);
  compare(data, 1000, 8, rounds);
  compare(data, 16, 64 << 10, rounds);
  compare_threads(data, 16, 64 << 10, rounds);
  free(data);
  MPI_Finalize();
  return 0;
}
