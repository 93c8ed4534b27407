/* SPDX-License-Identifier: BSD-3-Clause */
/* Receive buffers under mpiexec --check that are touched before the receive is complete: early
 * NAME. */
#include "early.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile int sink;

static void read_early(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  fill(1);
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  sink = buffer[ints / 2]; /* too early */
  sink = buffer[ints / 4];
  send_all(ints, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(has(buffer, ints, 1));
  free_buffer(buffer);
}

static void write_early(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Recv_init(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 3; ++round) {
    fill(round);
    MPI_Start(&request);
    if (round == 1) buffer[ints / 2] = 5; /* too early */
    send_all(ints, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(has(buffer, ints, round));
  }
  MPI_Request_free(&request);
  free_buffer(buffer);
}

static void copy_early(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  char* copy = malloc(bytes);
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  memcpy(copy, (char*)buffer + page, 3 * page); /* too early, and in the C library */
  send_all(ints, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(copy);
  free_buffer(buffer);
}

static void reduce_early(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  MPI_Reduce_local(buffer, more, ints, MPI_INT, MPI_SUM); /* too early, and in MPI */
  send_all(ints, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free_buffer(buffer);
}

static void ends_early(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  sink = buffer[ints / 2]; /* too early */
  exit(0);
}
static void aborts_early(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  sink = buffer[ints / 2]; /* too early */
  MPI_Abort(MPI_COMM_WORLD, 3);
}
static void crashes_early(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  sink = buffer[ints / 2]; /* too early */
  *(volatile int*)8 = 1;
}

static int* shared;
static pthread_barrier_t all_here;
static void* reads_shared(void* unused) {
  pthread_barrier_wait(&all_here);
  for (int i = 0; i < ints; i += 512) sink = shared[i]; /* too early, by several threads */
  return unused;
}
static void threads_read_early(void) {
  enum { threads = 4 };
  pthread_t all[threads];
  MPI_Request request;
  pthread_barrier_init(&all_here, NULL, threads);
  shared = new_buffer();
  for (int round = 0; round < 20; ++round) {
    fill(round);
    MPI_Irecv(shared, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < threads; ++i) pthread_create(&all[i], NULL, reads_shared, NULL);
    for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
    send_all(ints, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(has(shared, ints, round));
  }
  free_buffer(shared);
  shared = NULL;
}

/* Overlaps are told by their own line; MPI can use the memory all the same. */
static void send_of_a_guarded_buffer(void) {
  static const int counts[] = {ints, 1024, 256};
  MPI_Request requests[2];
  int* buffer = new_buffer();
  for (int i = 0; i < (int)(sizeof counts / sizeof *counts); ++i) {
    memset(buffer, 7, bytes);
    fill(3);
    MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(buffer + (ints - counts[i]) / 2, counts[i], MPI_INT, next, 1, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Recv(more, counts[i], MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(is_old(more, 0, counts[i]));
    fill(3);
    send_all(ints, 0);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  free_buffer(buffer);
}

static void frees_early(void) {
  MPI_Request request;
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MPI_Irecv(memory, bytes, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &request);
  munmap(memory, bytes); /* wrong, and nobody can see it */
  MPI_Send(more, bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  puts("alive");
}

/* The system touches it. */
static void writes_to_a_pipe_early(void) {
  MPI_Request request;
  int ends[2];
  int* buffer = new_buffer();
  if (pipe(ends) != 0) abort();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  puts(write(ends[1], (char*)buffer + page, page) < 0 ? "no access" : "access");
  send_all(ints, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free_buffer(buffer);
}

/* Handlers of the program. */

static void on_fault(int signal) {
  static const char text[] = "handler of the program\n";
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) signal = 1;
  _exit(signal == SIGSEGV ? 0 : 1);
}
static void faults(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  *(volatile int*)8 = 1;
}
static void handler_before(void) {
  signal(SIGSEGV, on_fault);
  faults();
}
static void handler_after(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD,
            &request); /* sets that of the check */
  send_all(ints, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  signal(SIGSEGV, on_fault);
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  sink = buffer[ints / 2]; /* not seen */
  send_all(ints, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free_buffer(buffer);
  puts("as without the check");
  fflush(stdout);
  *(volatile int*)8 = 1;
}
static void sent_signal(void) {
  signal(SIGSEGV, on_fault);
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  raise(SIGSEGV);
}
static void no_handler(void) {
  faults();
}
static void fault_in_mpi(void) {
  MPI_Request request;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  MPI_Reduce_local((void*)64, more, ints, MPI_INT, MPI_SUM);
}

static const struct one_case all[] = {CASE(read_early),
                                      CASE(write_early),
                                      CASE(copy_early),
                                      CASE(reduce_early),
                                      CASE(ends_early),
                                      CASE(aborts_early),
                                      CASE(crashes_early),
                                      CASE(threads_read_early),
                                      CASE(send_of_a_guarded_buffer),
                                      CASE(frees_early),
                                      CASE(writes_to_a_pipe_early),
                                      CASE(handler_before),
                                      CASE(handler_after),
                                      CASE(sent_signal),
                                      CASE(no_handler),
                                      CASE(fault_in_mpi)};

int main(int argc, char** argv) {
  /* Crashes on purpose leave no file. */
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  return run_cases(argc, argv, all, sizeof all / sizeof *all);
}
