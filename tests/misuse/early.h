/* SPDX-License-Identifier: BSD-3-Clause */
/* What early.c and patient.c have in common: NAME... runs those of the cases, in which each process
 * sends to the next one, to itself if it is alone. */
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ints = 64 << 10, bytes = ints * sizeof(int), page = 4096 };
static int rank, size, next, previous;
static int more[ints];

static void expect(int holds, int line) {
  if (holds) return;
  printf("rank %d: line %d does not hold\n", rank, line);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define EXPECT(holds) expect(holds, __LINE__)

/* Ends in the middle of a page, and begins there. */
static int* new_buffer(void) {
  char* memory;
  if (posix_memalign((void**)&memory, page, bytes + 2 * page) != 0) abort();
  memset(memory, 7, bytes + 2 * page);
  return (int*)(memory + 64);
}
static void free_buffer(int* buffer) {
  free((char*)buffer - 64);
}

static void fill(int number) {
  for (int i = 0; i < ints; ++i) more[i] = number + i;
}
static int has(const int* buffer, int count, int number) {
  for (int i = 0; i < count; ++i)
    if (buffer[i] != number + i) return 0;
  return 1;
}
static int is_old(const int* buffer, int from, int to) {
  for (int i = from; i < to; ++i)
    if (buffer[i] != 0x07070707) return 0;
  return 1;
}
static void touch(const void* address) {
  (void)*(const volatile char*)address;
}

static void send_all(int count, int tag) {
  MPI_Send(more, count, MPI_INT, next, tag, MPI_COMM_WORLD);
}

struct one_case {
  const char* name;
  void (*run)(void);
};
#define CASE(name) \
  { #name, name }

static int run_cases(int argc, char** argv, const struct one_case* cases, size_t count) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (int word = 1; word < argc; ++word)
    for (size_t i = 0; i < count; ++i)
      if (strcmp(cases[i].name, argv[word]) == 0) cases[i].run();
  MPI_Finalize();
  return 0;
}
