/* SPDX-License-Identifier: BSD-3-Clause
 * The program that a client under test runs for `impi-test client`: it obeys the orders that the
 * tester sends.
 *
 * One process of two in MPI_COMM_WORLD, the other one is the tester, or for FLOOD the last of
 * three. An order is a message with tag 1: its number (below), then a tag, then sizes. Reports are
 * messages of integers with tag 2. Only functions of MPI-1 are used, so that any MPI can run it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT, ECHO, SEND, SSEND, RECV, CANCEL, PROBE, BURST, BARRIER, FLOOD };
/* A collective operation: its order has the root and the size of a block. The answer is the sum of
 * all bytes of the result. Each process contributes the pattern. */
enum {
  BCAST = 20,
  GATHER,
  SCATTER,
  REDUCE,
  ALLREDUCE,
  SCAN,
  ALLGATHER,
  ALLTOALL,
  GATHERV,
  SCATTERV,
  ALLTOALLV,
  ALLGATHERV,
  REDUCE_SCATTER
};
/* A new communicator, which is used, reported by its rank and size, and freed. */
enum { DUP = 40, SPLIT, CREATE, INTER };
enum { ORDER_TAG = 1, REPORT_TAG = 2, MOST = 1 << 20 };

static unsigned char buffer[MOST];
static unsigned char pattern[MOST];
static int other;

static void report(int count, int a, int b, int c) {
  int numbers[3];
  numbers[0] = a;
  numbers[1] = b;
  numbers[2] = c;
  MPI_Send(numbers, count, MPI_INT, other, REPORT_TAG, MPI_COMM_WORLD);
}

static void report_status(MPI_Status* status) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  report(3, status->MPI_SOURCE, status->MPI_TAG, count);
}

static void try_to_cancel(int tag, int size) {
  MPI_Request request;
  MPI_Status status;
  int cancelled;
  MPI_Isend(pattern, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  report(1, cancelled, 0, 0);
}

static void burst(int tag, int count, int size) {
  MPI_Request* requests = malloc((size_t)count * sizeof *requests);
  MPI_Status* statuses = malloc((size_t)count * sizeof *statuses);
  int i;
  for (i = 0; i < count; ++i)
    MPI_Isend(pattern, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(count, requests, statuses);
  free(requests);
  free(statuses);
  report(1, count, 0, 0);
}

/* Many messages to rank 1, which may leave them unacknowledged, and behind them one to rank 0. */
static void flood(int tag, int count) {
  MPI_Request* requests = malloc((size_t)count * sizeof *requests);
  MPI_Status* statuses = malloc((size_t)count * sizeof *statuses);
  int i;
  for (i = 0; i < count; ++i) MPI_Isend(pattern, 1, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[i]);
  MPI_Send(pattern, 2, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
  MPI_Waitall(count, requests, statuses);
  free(requests);
  free(statuses);
  report(1, count, 0, 0);
}

static void echo(int tag, int size) {
  MPI_Status status;
  MPI_Recv(buffer, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &status);
  MPI_Send(buffer, size, MPI_BYTE, other, tag, MPI_COMM_WORLD);
}

static int total(int size) {
  int sum = 0;
  while (size > 0) sum += buffer[--size];
  return sum;
}

static void collective(int what, int root, int size, int rank) {
  MPI_Comm comm = MPI_COMM_WORLD;
  int counts[2], places[2];
  counts[0] = counts[1] = places[1] = size;
  places[0] = 0;
  memset(buffer, 0, sizeof buffer);
  if (what == BCAST && rank == root) memcpy(buffer, pattern, (size_t)size);
  if (what == BCAST) MPI_Bcast(buffer, size, MPI_BYTE, root, comm);
  if (what == GATHER) MPI_Gather(pattern, size, MPI_BYTE, buffer, size, MPI_BYTE, root, comm);
  if (what == SCATTER) MPI_Scatter(pattern, size, MPI_BYTE, buffer, size, MPI_BYTE, root, comm);
  if (what == REDUCE) MPI_Reduce(pattern, buffer, size, MPI_BYTE, MPI_BOR, root, comm);
  if (what == ALLREDUCE) MPI_Allreduce(pattern, buffer, size, MPI_BYTE, MPI_BOR, comm);
  if (what == SCAN) MPI_Scan(pattern, buffer, size, MPI_BYTE, MPI_BOR, comm);
  if (what == ALLGATHER) MPI_Allgather(pattern, size, MPI_BYTE, buffer, size, MPI_BYTE, comm);
  if (what == ALLTOALL) MPI_Alltoall(pattern, size, MPI_BYTE, buffer, size, MPI_BYTE, comm);
  if (what == GATHERV)
    MPI_Gatherv(pattern, size, MPI_BYTE, buffer, counts, places, MPI_BYTE, root, comm);
  if (what == SCATTERV)
    MPI_Scatterv(pattern, counts, places, MPI_BYTE, buffer, size, MPI_BYTE, root, comm);
  if (what == ALLTOALLV)
    MPI_Alltoallv(pattern, counts, places, MPI_BYTE, buffer, counts, places, MPI_BYTE, comm);
  if (what == ALLGATHERV)
    MPI_Allgatherv(pattern, size, MPI_BYTE, buffer, counts, places, MPI_BYTE, comm);
  if (what == REDUCE_SCATTER) MPI_Reduce_scatter(pattern, buffer, counts, MPI_BYTE, MPI_BOR, comm);
  report(1, total(2 * size), 0, 0);
}

/* A barrier, the report, and the end of the communicator. */
static void use(MPI_Comm comm) {
  int rank, size;
  if (comm == MPI_COMM_NULL) {
    report(2, -1, 0, 0);
    return;
  }
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Barrier(comm);
  report(2, rank, size, 0);
  MPI_Comm_free(&comm);
}

static void split(int color, int key) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, color < 0 ? MPI_UNDEFINED : color, key, &comm);
  use(comm);
}

/* Of both processes in reverse order, or of one. */
static void create(int alone) {
  MPI_Group world, group;
  MPI_Comm comm;
  int ranks[2];
  ranks[0] = alone >= 0 ? alone : 1;
  ranks[1] = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, alone >= 0 ? 1 : 2, ranks, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  use(comm);
}

/* Each process is a group of its own. */
static void inter(int tag, int high) {
  MPI_Comm first, copy, merged;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, tag, &first);
  MPI_Comm_dup(first, &copy);
  MPI_Send(pattern, 3, MPI_BYTE, 0, tag, copy);
  MPI_Intercomm_merge(copy, high, &merged);
  use(merged);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&first);
}

/* Whether it was an order of that kind. */
static int make(const int* order) {
  MPI_Comm copy;
  switch (order[0]) {
    case DUP:
      MPI_Comm_dup(MPI_COMM_WORLD, &copy);
      use(copy);
      return 1;
    case SPLIT:
      split(order[1], order[2]);
      return 1;
    case CREATE:
      create(order[1]);
      return 1;
    case INTER:
      inter(order[1], order[2]);
      return 1;
  }
  return 0;
}

static void obey(const int* order) {
  const int tag = order[1];
  MPI_Status status;
  switch (order[0]) {
    case ECHO:
      echo(tag, order[2]);
      break;
    case SEND:
      MPI_Send(pattern, order[2], MPI_BYTE, other, tag, MPI_COMM_WORLD);
      break;
    case SSEND:
      MPI_Ssend(pattern, order[2], MPI_BYTE, other, tag, MPI_COMM_WORLD);
      MPI_Send(pattern, 0, MPI_BYTE, other, tag + 1, MPI_COMM_WORLD);
      break;
    case RECV:
      MPI_Recv(buffer, order[2], MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      report_status(&status);
      break;
    case CANCEL:
      try_to_cancel(tag, order[2]);
      break;
    case PROBE:
      MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      report_status(&status);
      break;
    case BURST:
      burst(tag, order[2], order[3]);
      break;
    case BARRIER:
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    case FLOOD:
      flood(tag, order[2]);
      break;
    case BCAST:
    case GATHER:
    case SCATTER:
    case REDUCE:
    case ALLREDUCE:
    case SCAN:
    case ALLGATHER:
    case ALLTOALL:
    case GATHERV:
    case SCATTERV:
    case ALLTOALLV:
    case ALLGATHERV:
    case REDUCE_SCATTER:
      collective(order[0], order[1], order[2], 1 - other);
      break;
    default:
      if (!make(order)) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int order[4] = {EXIT, 0, 0, 0};
  int i, rank;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = rank == 0 ? 1 : 0;
  for (i = 0; i < MOST; ++i) pattern[i] = (unsigned char)(i % 251);
  while (1) {
    MPI_Recv(order, 4, MPI_INT, other, ORDER_TAG, MPI_COMM_WORLD, &status);
    if (order[0] == EXIT) break;
    obey(order);
  }
  MPI_Finalize();
  return 0;
}
