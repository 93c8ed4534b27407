/* SPDX-License-Identifier: BSD-3-Clause
   Several threads of each process access one file at once, without an order of their own.
   req io 11.179 */
#include <pthread.h>

#include "scratch.h"

static int failures;

static void check(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "%s does not hold\n", what);
}
#define CHECK(condition) check((condition) != 0, #condition)

enum { THREADS = 3, ROUNDS = 40, BLOCK = 32 };

typedef struct {
  MPI_File file;
  int rank, size, me, wrong;
} Thread;

/* Its own numbers at its own places, and one number at the individual pointer. */
static void* access_file(void* argument) {
  Thread* thread = argument;
  int out[BLOCK], in[BLOCK];
  for (int round = 0; round < ROUNDS; ++round) {
    const int place = ((round * THREADS + thread->me) * thread->size + thread->rank) * BLOCK;
    MPI_Request request;
    for (int i = 0; i < BLOCK; ++i) out[i] = place + i;
    thread->wrong += MPI_File_iwrite_at(thread->file, place, out, BLOCK, MPI_INT, &request) != 0;
    thread->wrong += MPI_Wait(&request, MPI_STATUS_IGNORE) != 0;
    thread->wrong +=
        MPI_File_read_at(thread->file, place, in, BLOCK, MPI_INT, MPI_STATUS_IGNORE) != 0;
    thread->wrong += memcmp(in, out, sizeof in) != 0;
    thread->wrong += MPI_File_write(thread->file, &thread->me, 1, MPI_INT, MPI_STATUS_IGNORE) != 0;
  }
  return NULL;
}

/* The individual pointer moves by what all threads have written, behind their blocks. */
static void several_threads(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const MPI_Offset behind = (MPI_Offset)ROUNDS * THREADS * BLOCK * size;
  const MPI_Offset first = behind + (MPI_Offset)rank * ROUNDS * THREADS;
  int counts[THREADS] = {0}, told[ROUNDS * THREADS];
  MPI_Offset position = 0;
  pthread_t threads[THREADS];
  Thread work[THREADS];
  MPI_File file = scratch_file(comm, "threads");
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_seek(file, first, MPI_SEEK_SET);
  for (int i = 0; i < THREADS; ++i) {
    work[i] = (Thread){file, rank, size, i, 0};
    CHECK(pthread_create(&threads[i], NULL, access_file, &work[i]) == 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(work[i].wrong == 0);
  }
  MPI_File_get_position(file, &position);
  CHECK(position == first + ROUNDS * THREADS);
  MPI_File_read_at(file, first, told, ROUNDS * THREADS, MPI_INT, MPI_STATUS_IGNORE);
  for (int i = 0; i < ROUNDS * THREADS; ++i)
    if (told[i] >= 0 && told[i] < THREADS) ++counts[told[i]];
  for (int i = 0; i < THREADS; ++i) CHECK(counts[i] == ROUNDS);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE, all = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  if (provided == MPI_THREAD_MULTIPLE) several_threads(MPI_COMM_WORLD);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
