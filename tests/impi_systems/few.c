/* SPDX-License-Identifier: BSD-3-Clause
 * A job of few packets, whose trace is compared with a golden one: each type of packet, each
 * collective operation, each constructor of communicators. Two systems of one process. */
#include "check.h"

/* Nobody receives it. */
static void cancelled(int rank) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Issend(&rank, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 0, MPI_INT, 1, 11, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&rank, 0, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void collectives(int rank) {
  MPI_Comm world = MPI_COMM_WORLD;
  int ones[2] = {1, 1}, places[2] = {0, 1}, in[2] = {rank + 16, rank + 32}, out[2], root;
  for (root = 0; root < 2; ++root) {
    MPI_Barrier(world);
    MPI_Bcast(in, 1, MPI_INT, root, world);
    MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, root, world);
    MPI_Gatherv(in, 1, MPI_INT, out, ones, places, MPI_INT, root, world);
    MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, root, world);
    MPI_Scatterv(in, ones, places, MPI_INT, out, 1, MPI_INT, root, world);
    MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, root, world);
  }
  MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, world);
  MPI_Allgatherv(in, 1, MPI_INT, out, ones, places, MPI_INT, world);
  MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, world);
  MPI_Alltoallv(in, ones, places, MPI_INT, out, ones, places, MPI_INT, world);
  MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, world);
  MPI_Reduce_scatter(in, out, ones, MPI_INT, MPI_SUM, world);
  MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, world);
}

static void communicators(int rank) {
  MPI_Comm made, inter;
  MPI_Group group;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, 5, -rank, &made);
  MPI_Comm_free(&made);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &made);
  MPI_Group_free(&group);
  MPI_Comm_free(&made);
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 12, &inter);
  MPI_Comm_dup(inter, &made);
  MPI_Comm_free(&inter);
  MPI_Intercomm_merge(made, rank, &inter);
  MPI_Comm_free(&made);
  MPI_Comm_free(&inter);
}

int main(int argc, char** argv) {
  char text[6] = "hello";
  char large[300] = {0};
  int rank, number = 0x01020304;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(text, 5, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    MPI_Ssend(&number, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    MPI_Send(large, 300, MPI_BYTE, 1, 9, MPI_COMM_WORLD); /* three packets of at most 128 bytes */
  } else {
    MPI_Recv(text, 5, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(large, 300, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  cancelled(rank);
  collectives(rank);
  communicators(rank);
  MPI_Finalize();
  return 0;
}
