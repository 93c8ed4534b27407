/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of two ranks that do not match each other, and calls that do: mismatches NAME [COUNT]. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMany = 1 << 18 };
static int rank, size, count = 4;
static int in[4 * kMany], out[4 * kMany];

static void left(void* a, void* b, int* n, MPI_Datatype* type) {
  (void)type;
  memcpy(b, a, (size_t)*n * sizeof(int));
}

/* ---- reductions ---- */

static MPI_Op other_op(void) {
  return rank == 1 ? MPI_MAX : MPI_SUM;
}
static void reduce(void) {
  MPI_Reduce(in, out, count, MPI_INT, other_op(), 0, MPI_COMM_WORLD);
}
static void allreduce(void) {
  MPI_Allreduce(in, out, count, MPI_INT, other_op(), MPI_COMM_WORLD);
}
static void reduce_scatter(void) {
  int counts[16];
  for (int i = 0; i < size; ++i) counts[i] = count;
  MPI_Reduce_scatter(in, out, counts, MPI_INT, other_op(), MPI_COMM_WORLD);
}
static void reduce_scatter_block(void) {
  MPI_Reduce_scatter_block(in, out, count, MPI_INT, other_op(), MPI_COMM_WORLD);
}
static void scan(void) {
  MPI_Scan(in, out, count, MPI_INT, other_op(), MPI_COMM_WORLD);
}
static void exscan(void) {
  MPI_Exscan(in, out, count, MPI_INT, other_op(), MPI_COMM_WORLD);
}
static void own_reduction(void) {
  MPI_Op own;
  MPI_Op_create(left, 1, &own);
  MPI_Allreduce(in, out, count, MPI_INT, rank == 1 ? own : MPI_SUM, MPI_COMM_WORLD);
  MPI_Op_free(&own);
}

/* ---- last calls, whose data nobody reads ---- */

static void bcast(void) {
  MPI_Bcast(in, count, MPI_INT, rank == 1, MPI_COMM_WORLD);
}
static void scatter(void) {
  MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, rank == 1, MPI_COMM_WORLD);
}
static void empty_gather(void) {
  MPI_Gather(in, 0, MPI_INT, out, 0, MPI_INT, rank == 1, MPI_COMM_WORLD);
}
static void one_more(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Bcast(in, count, MPI_INT, 0, MPI_COMM_WORLD);
}
static MPI_Comm halo(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "halo");
  MPI_Bcast(in, count, MPI_INT, rank == 1, comm);
  return comm;
}
static void freed(void) {
  MPI_Comm comm = halo();
  MPI_Comm_free(&comm);
}
static void never_freed(void) {
  halo();
}
static void show(const char* how, int code) {
  char text[MPI_MAX_ERROR_STRING] = "no error";
  int length;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  printf("%s: %s\n", how, text);
}
static void returned(void) {
  MPI_Comm comm = halo();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  show("freed", MPI_Comm_free(&comm));
  if (comm != MPI_COMM_NULL) printf("still there\n");
}

/* ---- nothing is wrong here ---- */

static void calls_on(MPI_Comm comm, MPI_Op own, MPI_Op crossed) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, own, MPI_BXOR, crossed, MPI_MIN};
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < 24; ++i) {
    const MPI_Op op = ops[i % 6];
    const int n = i % 4, root = i % size;
    MPI_Allreduce(i % 2 != 0 ? MPI_IN_PLACE : in, out, n, MPI_INT, op, comm);
    MPI_Reduce(in, out, 2 * n, MPI_INT, op, root, comm);
    MPI_Scan(in, out, n, MPI_INT, op, comm);
    MPI_Exscan(in, out, n, MPI_INT, op, comm);
    MPI_Reduce_scatter_block(in, out, n, MPI_INT, op, comm);
    MPI_Bcast(in, rank == 0 ? 2 * n : n, rank == 0 ? MPI_INT : pair, root, comm);
    MPI_Scatter(out, n, pair, in, 2 * n, MPI_INT, root, comm);
  }
  MPI_Bcast(in, 1, MPI_INT, 0, comm); /* which the root does not wait for */
  MPI_Type_free(&pair);
}

static void matching(void) {
  MPI_Op own, crossed;
  MPI_Comm comm, kept, part, inter;
  MPI_Op_create(left, 1, &own);
  MPI_Op_create(left, 0, &crossed);
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    calls_on(comm, own, crossed);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
  MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, inter);
  MPI_Bcast(in, 1, MPI_INT, 0, part);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&part);
  calls_on(kept, own, crossed);
  calls_on(MPI_COMM_WORLD, own, crossed);
  MPI_Op_free(&own);
  MPI_Op_free(&crossed);
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {
#define CASE(name) \
  { #name, name }
    CASE(reduce),   CASE(allreduce),    CASE(reduce_scatter), CASE(reduce_scatter_block),
    CASE(scan),     CASE(exscan),       CASE(own_reduction),  CASE(bcast),
    CASE(scatter),  CASE(empty_gather), CASE(one_more),       CASE(freed),
    CASE(returned), CASE(never_freed),  CASE(matching)};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 2) count = atoi(argv[2]);
  for (int i = 0; i < 4 * kMany; ++i) in[i] = i + 1;
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, argv[1]) == 0) all[i].run();
  MPI_Finalize();
  return 0;
}
