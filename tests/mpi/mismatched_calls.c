/* SPDX-License-Identifier: BSD-3-Clause
   Wrong programs, one per name given as argument: collective calls that do not match on all ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;
static int in[64], out[64];

static void operation(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  else
    MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
}

static void root(void) {
  MPI_Bcast(in, 1, MPI_INT, rank == 1 ? 1 : 0, MPI_COMM_WORLD);
}

static void reduction(void) {
  MPI_Allreduce(in, out, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
}

static void count(void) {
  MPI_Allreduce(in, out, rank == 1 ? 3 : 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void nonblocking_count(void) {
  MPI_Request request;
  MPI_Iallreduce(in, out, rank == 1 ? 3 : 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void type(void) {
  MPI_Bcast(in, 2, rank == 1 ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
}

static void exchanged(void) {
  MPI_Datatype pair;
  MPI_Type_contiguous(3, MPI_SHORT, &pair);
  MPI_Type_commit(&pair);
  MPI_Allgather(in, 2, MPI_INT, out, rank == 1 ? 1 : 2, rank == 1 ? pair : MPI_INT, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
}

static void gathered(void) {
  MPI_Gather(in, 2, MPI_INT, out, rank == 0 ? 1 : 2, MPI_INT, 0, MPI_COMM_WORLD);
}

static void counts(void) {
  int recvcounts[16], displacements[16];
  for (int i = 0; i < size; ++i) {
    recvcounts[i] = i == 1 && rank == 1 ? 2 : 1;
    displacements[i] = 2 * i;
  }
  MPI_Allgatherv(in, recvcounts[rank], MPI_INT, out, recvcounts, displacements, MPI_INT,
                 MPI_COMM_WORLD);
}

static void in_place(void) {
  MPI_Alltoall(rank == 1 ? MPI_IN_PLACE : in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
}

static void form(void) {
  MPI_Request request;
  if (rank != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void persistent(void) {
  MPI_Request request;
  if (rank != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
}

static void missing(void) {
  for (int i = 0; i < 40; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) MPI_Barrier(MPI_COMM_WORLD);
}

static void never(void) {
  if (rank != 0) MPI_Bcast(in, 1, MPI_INT, 1, MPI_COMM_WORLD);
}

static void freed(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  MPI_Comm_set_name(comm, "pairs");
  if (rank != 0) MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

static void making(void) {
  MPI_Comm comm;
  if (rank != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
  }
}

static void reordered(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  MPI_Bcast(in, 1, MPI_INT, rank == 0 ? 1 : 0, comm);
  MPI_Comm_free(&comm);
}

static void across(void) {
  MPI_Comm half, inter;
  const int high = rank >= size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, high, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, high ? 0 : size / 2, 0, &inter);
  MPI_Allreduce(in, out, high ? 2 : 1, MPI_INT, MPI_SUM, inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* The job goes on where errors are returned and no call waits. */
static void returned(void) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, code = MPI_SUCCESS;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 100000 && code == MPI_SUCCESS; ++i)
    code =
        MPI_Allreduce(in, out, 1, MPI_INT, i == 7 && rank == 1 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  printf("returned: %s\n", text);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 7);
}

/* Calls that cannot be left. */
static void stuck(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  operation();
}

/* Not wrong: one type by two names, signatures that agree, counts that need not. */
static void right(void) {
  const int others = rank % 2;
  int sendcounts[16], displacements[16];
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < size; ++i) sendcounts[i] = rank == i ? 2 : 0, displacements[i] = 0;
  for (int i = 0; i < 100; ++i) {
    MPI_Bcast(in, others ? 1 : 2, others ? pair : MPI_INT32_T, 0, MPI_COMM_WORLD);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : in, out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(in, 0, others ? MPI_CHAR : MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(in, sendcounts, displacements, MPI_INT, out, sendcounts, displacements, MPI_INT,
                  MPI_COMM_WORLD);
    MPI_Allgather(in, 1, pair, out, 2, MPI_INT, MPI_COMM_WORLD);
  }
  MPI_Type_free(&pair);
}

static const struct {
  const char* name;
  void (*run)(void);
} programs[] = {{"operation", operation},
                {"root", root},
                {"reduction", reduction},
                {"count", count},
                {"nonblocking_count", nonblocking_count},
                {"type", type},
                {"exchanged", exchanged},
                {"gathered", gathered},
                {"counts", counts},
                {"in_place", in_place},
                {"form", form},
                {"persistent", persistent},
                {"missing", missing},
                {"never", never},
                {"freed", freed},
                {"making", making},
                {"right", right},
                {"reordered", reordered},
                {"across", across},
                {"returned", returned},
                {"stuck", stuck}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i) {
    if (argc > 1 && strcmp(argv[1], programs[i].name) == 0) programs[i].run();
  }
  MPI_Finalize();
  return 0;
}
