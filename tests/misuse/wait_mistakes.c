/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that no argument shows to be wrong, and which wait for ever: wait_mistakes NAME [LEVEL].
 * Sisters that are right wait as long. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int rank, number;

/* Nobody sends it. */
static void* waits(void* unused) {
  MPI_Recv(&number, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}

static void in_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, waits, NULL) != 0) exit(1);
  pthread_join(thread, NULL);
}

static void waits_in_operation(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
  waits(NULL);
}

static void adds(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void reduce_with(MPI_User_function* function) {
  MPI_Op op;
  int sum = 0;
  MPI_Op_create(function, 1, &op);
  MPI_Reduce_local(&number, &sum, 1, MPI_INT, op);
  MPI_Op_free(&op);
}

static int level_of(const char* name) {
  if (strcmp(name, "funneled") == 0) return MPI_THREAD_FUNNELED;
  return strcmp(name, "serialized") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  int provided = MPI_THREAD_SINGLE;
  if (argc > 2)
    MPI_Init_thread(&argc, &argv, level_of(argv[2]), &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(what, "in_thread") == 0) in_thread();
  if (strcmp(what, "in_operation") == 0) reduce_with(waits_in_operation);
  if (strcmp(what, "after_operation") == 0) reduce_with(adds), waits(NULL);
  MPI_Finalize();
  return 0;
}
