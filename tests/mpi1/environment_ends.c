/* SPDX-License-Identifier: BSD-3-Clause
   Programs about the beginning and the end of MPI, one for each argument; environment.py says what
   they must do. */
#define _XOPEN_SOURCE 700
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* Says why, and ends the job. */
static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: not so: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 99);
}

static void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static void initialized(void) {
  int flag = -1;
  expect(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 0, "not initialized before MPI_Init");
  start(NULL, NULL);
  MPI_Initialized(&flag);
  expect(flag == 1, "initialized after MPI_Init");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  expect(MPI_Init(NULL, NULL) != MPI_SUCCESS, "a second MPI_Init is an error");
  MPI_Finalize();
  MPI_Initialized(&flag);
  expect(flag == 1, "initialized after MPI_Finalize");
}

/* One line per argument, from rank 0. */
static void arguments(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 1; rank == 0 && i < argc; i++) printf("%s\n", argv[i]);
  if (rank == 0) printf("%d\n", argv[argc] == NULL);
  MPI_Finalize();
}

static void after_finalize(void) {
  start(NULL, NULL);
  MPI_Finalize();
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("went on\n");
}

/* Nobody set a handler: the job ends in the call. */
static void unhandled(void) {
  start(NULL, NULL);
  int number = 0;
  if (rank == size - 1) MPI_Send(&number, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("went on\n");
  MPI_Finalize();
}

/* The others wait for ever; rank 0 ends them all, over a communicator that is only its own. */
static void abort_self(void) {
  start(NULL, NULL);
  int number = 0;
  if (rank == 0) MPI_Abort(MPI_COMM_SELF, 23);
  MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Buffered, and on a communicator that is freed: the messages are taken when the sender is in
 * MPI_Finalize. */
static void late_receives(void) {
  static char data[300000], buffer[2 * sizeof data];
  MPI_Comm twin;
  start(NULL, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  if (rank == 0) {
    memset(data, 'y', sizeof data);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend(data, 100, MPI_CHAR, 1, 0, twin);
    MPI_Bsend(data, sizeof data, MPI_CHAR, 1, 1, twin);
    memset(data, 'n', sizeof data);
    MPI_Comm_free(&twin);
  } else {
    int wrong = 0;
    MPI_Recv(data, sizeof data, MPI_CHAR, 0, 1, twin, MPI_STATUS_IGNORE);
    for (size_t i = 0; i < sizeof data; i++) wrong += data[i] != 'y';
    MPI_Recv(data, sizeof data, MPI_CHAR, 0, 0, twin, MPI_STATUS_IGNORE);
    MPI_Comm_free(&twin);
    printf("%d wrong\n", wrong);
  }
  MPI_Finalize();
}

static void print(void) {
  start(NULL, NULL);
  if (rank == 0) printf("Starting program\n");
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d of %d\n", rank, size);
  MPI_Finalize();
}

/* Rank 0 writes much more than a pipe holds while all others wait in MPI for its message. */
static void print_while_waiting(void) {
  start(NULL, NULL);
  int number = 0;
  char* memory = malloc(1000);
  expect(memory != NULL, "memory");
  for (int i = 0; rank == 0 && i < 20000; i++) printf("%0100d\n", i);
  fflush(stdout);
  if (rank == 0) number = 1;
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  expect(number == 1, "the message after the output");
  free(memory);
  MPI_Finalize();
}

/* Where the program has not said what a crash does, the library reports it first. */
static int reports(int signal) {
  return signal == SIGSEGV || signal == SIGBUS;
}

/* The library takes no other signal: each one has the action that it had before, during and after.
 */
static void signals(void) {
  enum { KNOWN = 32 };
  struct sigaction before[KNOWN], now;
  sigset_t mask_before, mask;
  for (int i = 1; i < KNOWN; i++) sigaction(i, NULL, &before[i]);
  pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
  start(NULL, NULL);
  int sum = 0;
  for (int round = 0; round < 2; round++) {
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (round == 1) MPI_Finalize();
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int i = 1; i < KNOWN; i++) {
      sigaction(i, NULL, &now);
      const int kept = now.sa_handler == before[i].sa_handler;
      expect(kept || (reports(i) && before[i].sa_handler == SIG_DFL),
             "the action of each signal is as before");
      expect(sigismember(&mask, i) == sigismember(&mask_before, i), "the signal mask is as before");
    }
    if (round == 1) return;
  }
}

/* A second thread waits in a receive for what the first one sends after it has done other things.
 */
static void* receiving(void* argument) {
  MPI_Recv(argument, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

static void threads(void) {
  int provided = -1, got = -1, sum = 0, number = 31;
  pthread_t other;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE is provided");
  pthread_create(&other, NULL, receiving, &got);
  for (int i = 0; i < 20; i++) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sum == size * (size - 1) / 2, "collectives go on while a thread waits");
  MPI_Send(&number, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
  pthread_join(other, NULL);
  expect(got == 31, "the waiting thread has its message");
  MPI_Finalize();
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "initialized") == 0) initialized();
  if (strcmp(what, "arguments") == 0) arguments(argc, argv);
  if (strcmp(what, "after-finalize") == 0) after_finalize();
  if (strcmp(what, "unhandled") == 0) unhandled();
  if (strcmp(what, "abort-self") == 0) abort_self();
  if (strcmp(what, "late-receives") == 0) late_receives();
  if (strcmp(what, "print") == 0) print();
  if (strcmp(what, "print-while-waiting") == 0) print_while_waiting();
  if (strcmp(what, "signals") == 0) signals();
  if (strcmp(what, "threads") == 0) threads();
  return 0;
}
