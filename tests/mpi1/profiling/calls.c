/* SPDX-License-Identifier: BSD-3-Clause
   Calls each of the 128 functions of MPI-1 on two ranks, and compares what it called with what the
   profiler counted. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* Macros, for the name is both the function's and the counter's. */
static long called[CALLS];
#define COUNT(name) (called[CALL_##name]++)
#define CALL(name, ...) (COUNT(name), name(__VA_ARGS__))

static int rank, other, failures;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; i++) ((int*)inout)[i] += ((int*)in)[i];
}

static void receive(int tag) {
  int in = -1;
  MPI_Status status;
  CALL(MPI_Recv, &in, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &status);
  if (in != tag) failures++;
}

static void one_way(int sending) {
  const int tags[4] = {0, 1, 2, 3};
  int in = -1;
  MPI_Request request;
  if (sending) {
    CALL(MPI_Send, &tags[0], 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    CALL(MPI_Bsend, &tags[1], 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    CALL(MPI_Ssend, &tags[2], 1, MPI_INT, other, 2, MPI_COMM_WORLD);
    CALL(MPI_Barrier, MPI_COMM_WORLD);
    CALL(MPI_Rsend, &tags[3], 1, MPI_INT, other, 3, MPI_COMM_WORLD);
  } else {
    for (int t = 0; t < 3; t++) receive(t);
    CALL(MPI_Irecv, &in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request);
    CALL(MPI_Barrier, MPI_COMM_WORLD);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    failures += in != 3;
  }
}

static void blocking(void) {
  int in = -1, out = 4;
  one_way(rank == 0);
  one_way(rank == 1);
  CALL(MPI_Sendrecv, &out, 1, MPI_INT, other, 5, &in, 1, MPI_INT, other, 5, MPI_COMM_WORLD,
       MPI_STATUS_IGNORE);
  CALL(MPI_Sendrecv_replace, &out, 1, MPI_INT, other, 5, other, 5, MPI_COMM_WORLD,
       MPI_STATUS_IGNORE);
  failures += in != 4 || out != 4;
}

/* All ways to begin a send, received by nonblocking receives that were begun before; completed in
 * all ways. */
static void nonblocking(void) {
  enum { MODES = 4 };
  int out = 7, in[MODES], flag = 0, count = 0, index = 0, indices[MODES];
  MPI_Request sends[MODES], receives[MODES];
  for (int i = 0; i < MODES; i++)
    CALL(MPI_Irecv, &in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &receives[i]);
  CALL(MPI_Barrier, MPI_COMM_WORLD);
  CALL(MPI_Isend, &out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &sends[0]);
  CALL(MPI_Ibsend, &out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &sends[1]);
  CALL(MPI_Issend, &out, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &sends[2]);
  CALL(MPI_Irsend, &out, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &sends[3]);
  CALL(MPI_Waitall, MODES, sends, MPI_STATUSES_IGNORE);
  CALL(MPI_Waitany, MODES, receives, &index, MPI_STATUS_IGNORE);
  CALL(MPI_Waitsome, MODES, receives, &count, indices, MPI_STATUSES_IGNORE);
  CALL(MPI_Testany, MODES, receives, &index, &flag, MPI_STATUS_IGNORE);
  CALL(MPI_Testsome, MODES, receives, &count, indices, MPI_STATUSES_IGNORE);
  CALL(MPI_Testall, MODES, receives, &flag, MPI_STATUSES_IGNORE);
  CALL(MPI_Waitall, MODES, receives, MPI_STATUSES_IGNORE);
  for (int i = 0; i < MODES; i++) failures += in[i] != 7;
}

static void persistent(void) {
  int out = 8, in[4] = {0, 0, 0, 0};
  MPI_Request receives[4], sends[4];
  CALL(MPI_Send_init, &out, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &sends[0]);
  CALL(MPI_Bsend_init, &out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &sends[1]);
  CALL(MPI_Ssend_init, &out, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &sends[2]);
  CALL(MPI_Rsend_init, &out, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &sends[3]);
  for (int i = 0; i < 4; i++)
    CALL(MPI_Recv_init, &in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &receives[i]);
  CALL(MPI_Startall, 4, receives);
  CALL(MPI_Barrier, MPI_COMM_WORLD);
  for (int i = 0; i < 4; i++) CALL(MPI_Start, &sends[i]);
  CALL(MPI_Waitall, 4, sends, MPI_STATUSES_IGNORE);
  CALL(MPI_Waitall, 4, receives, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; i++)
    CALL(MPI_Request_free, &sends[i]), CALL(MPI_Request_free, &receives[i]);
  for (int i = 0; i < 4; i++) failures += in[i] != 8;
}

static void looking(void) {
  int out = 9, in = 0, flag = 0, count = 0;
  MPI_Status status;
  MPI_Request request;
  CALL(MPI_Isend, &out, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &request);
  CALL(MPI_Probe, other, 6, MPI_COMM_WORLD, &status);
  CALL(MPI_Iprobe, other, 6, MPI_COMM_WORLD, &flag, &status);
  CALL(MPI_Get_count, &status, MPI_INT, &count);
  CALL(MPI_Get_elements, &status, MPI_INT, &count);
  CALL(MPI_Recv, &in, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &status);
  for (flag = 0; !flag;) CALL(MPI_Test, &request, &flag, MPI_STATUS_IGNORE);
  CALL(MPI_Irecv, &in, 1, MPI_INT, other, 77, MPI_COMM_WORLD, &request);
  CALL(MPI_Cancel, &request);
  CALL(MPI_Wait, &request, &status);
  CALL(MPI_Test_cancelled, &status, &flag);
  failures += count != 1 || in != 9 || !flag;
}

static void point_to_point(void) {
  static char room[4096];
  void* back = NULL;
  int size = 0;
  CALL(MPI_Buffer_attach, room, sizeof room);
  blocking();
  nonblocking();
  persistent();
  looking();
  CALL(MPI_Buffer_detach, &back, &size);
  failures += back != room || size != sizeof room;
}

static void use_type(MPI_Datatype* type) {
  int size = 0;
  MPI_Aint extent = 0, lb = 0, ub = 0;
  CALL(MPI_Type_commit, type);
  CALL(MPI_Type_size, *type, &size);
  CALL(MPI_Type_extent, *type, &extent);
  CALL(MPI_Type_lb, *type, &lb);
  CALL(MPI_Type_ub, *type, &ub);
  failures += ub - lb != extent || size <= 0;
  CALL(MPI_Type_free, type);
}

static void types(void) {
  int lengths[2] = {1, 2}, places[2] = {0, 2}, data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, copy = 0,
      position = 0, size = 0;
  MPI_Aint bytes[2] = {0, 16}, address = 0;
  MPI_Datatype parts[2] = {MPI_INT, MPI_FLOAT}, type;
  char packed[64];
  CALL(MPI_Address, data, &address);
  CALL(MPI_Type_contiguous, 2, MPI_INT, &type), use_type(&type);
  CALL(MPI_Type_vector, 2, 1, 2, MPI_INT, &type), use_type(&type);
  CALL(MPI_Type_hvector, 2, 1, 16, MPI_INT, &type), use_type(&type);
  CALL(MPI_Type_indexed, 2, lengths, places, MPI_INT, &type), use_type(&type);
  CALL(MPI_Type_hindexed, 2, lengths, bytes, MPI_INT, &type), use_type(&type);
  CALL(MPI_Type_struct, 2, lengths, bytes, parts, &type), use_type(&type);
  CALL(MPI_Pack_size, 1, MPI_INT, MPI_COMM_WORLD, &size);
  CALL(MPI_Pack, data, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
  position = 0;
  CALL(MPI_Unpack, packed, sizeof packed, &position, &copy, 1, MPI_INT, MPI_COMM_WORLD);
  failures += copy != 1 || size < 4 || address == 0;
}

static void collectives(void) {
  int in[2] = {1, 2}, out[4] = {0, 0, 0, 0}, counts[2] = {1, 1}, places[2] = {0, 1};
  const MPI_Comm c = MPI_COMM_WORLD;
  MPI_Op op;
  CALL(MPI_Barrier, c);
  CALL(MPI_Bcast, in, 2, MPI_INT, 0, c);
  CALL(MPI_Gather, in, 1, MPI_INT, out, 1, MPI_INT, 0, c);
  CALL(MPI_Gatherv, in, 1, MPI_INT, out, counts, places, MPI_INT, 0, c);
  CALL(MPI_Scatter, in, 1, MPI_INT, out, 1, MPI_INT, 0, c);
  CALL(MPI_Scatterv, in, counts, places, MPI_INT, out, 1, MPI_INT, 0, c);
  CALL(MPI_Allgather, in, 1, MPI_INT, out, 1, MPI_INT, c);
  CALL(MPI_Allgatherv, in, 1, MPI_INT, out, counts, places, MPI_INT, c);
  CALL(MPI_Alltoall, in, 1, MPI_INT, out, 1, MPI_INT, c);
  CALL(MPI_Alltoallv, in, counts, places, MPI_INT, out, counts, places, MPI_INT, c);
  CALL(MPI_Reduce, in, out, 2, MPI_INT, MPI_SUM, 0, c);
  CALL(MPI_Op_create, add, 1, &op);
  CALL(MPI_Allreduce, in, out, 2, MPI_INT, op, c);
  failures += out[0] != 2 || out[1] != 4;
  CALL(MPI_Op_free, &op);
  CALL(MPI_Reduce_scatter, in, out, counts, MPI_INT, MPI_SUM, c);
  CALL(MPI_Scan, in, out, 2, MPI_INT, MPI_SUM, c);
  failures += out[0] != rank + 1;
}

static void groups(void) {
  MPI_Group all, made;
  int number = 0, first[1] = {0}, to[1] = {0}, range[1][3] = {{0, 0, 1}};
  CALL(MPI_Comm_group, MPI_COMM_WORLD, &all);
  CALL(MPI_Group_size, all, &number);
  CALL(MPI_Group_rank, all, &number);
  CALL(MPI_Group_translate_ranks, all, 1, first, all, to);
  CALL(MPI_Group_compare, all, all, &number);
  CALL(MPI_Group_union, all, all, &made), CALL(MPI_Group_free, &made);
  CALL(MPI_Group_intersection, all, all, &made), CALL(MPI_Group_free, &made);
  CALL(MPI_Group_difference, all, all, &made), CALL(MPI_Group_free, &made);
  CALL(MPI_Group_incl, all, 1, first, &made), CALL(MPI_Group_free, &made);
  CALL(MPI_Group_excl, all, 1, first, &made), CALL(MPI_Group_free, &made);
  CALL(MPI_Group_range_excl, all, 1, range, &made), CALL(MPI_Group_free, &made);
  CALL(MPI_Group_range_incl, all, 1, range, &made), CALL(MPI_Group_free, &made);
  CALL(MPI_Group_free, &all);
}

static void communicators(void) {
  MPI_Comm twin, made, half, inter;
  MPI_Group all;
  int number = 0, key = MPI_KEYVAL_INVALID;
  void* value = NULL;
  CALL(MPI_Comm_dup, MPI_COMM_WORLD, &twin);
  CALL(MPI_Comm_compare, MPI_COMM_WORLD, twin, &number);
  CALL(MPI_Comm_group, twin, &all);
  CALL(MPI_Comm_create, twin, all, &made), CALL(MPI_Comm_free, &made);
  CALL(MPI_Group_free, &all);
  CALL(MPI_Comm_split, twin, rank, 0, &half);
  CALL(MPI_Intercomm_create, half, 0, twin, other, 3, &inter);
  CALL(MPI_Comm_test_inter, inter, &number);
  CALL(MPI_Comm_remote_size, inter, &number);
  CALL(MPI_Comm_remote_group, inter, &all), CALL(MPI_Group_free, &all);
  CALL(MPI_Intercomm_merge, inter, rank, &made), CALL(MPI_Comm_free, &made);
  CALL(MPI_Keyval_create, MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, NULL);
  CALL(MPI_Attr_put, twin, key, &key);
  CALL(MPI_Attr_get, twin, key, &value, &number);
  failures += value != &key;
  CALL(MPI_Attr_delete, twin, key);
  CALL(MPI_Keyval_free, &key);
  CALL(MPI_Comm_free, &inter), CALL(MPI_Comm_free, &half), CALL(MPI_Comm_free, &twin);
}

static void topologies(void) {
  int dims[1] = {0}, periods[1] = {1}, place[1] = {0}, number = 0, next = 0, index[2] = {1, 2},
      edges[2] = {1, 0};
  MPI_Comm line, graph, part;
  CALL(MPI_Dims_create, 2, 1, dims);
  CALL(MPI_Cart_map, MPI_COMM_WORLD, 1, dims, periods, &number);
  CALL(MPI_Cart_create, MPI_COMM_WORLD, 1, dims, periods, 0, &line);
  CALL(MPI_Cartdim_get, line, &number);
  CALL(MPI_Cart_get, line, 1, dims, periods, place);
  CALL(MPI_Cart_rank, line, place, &number);
  CALL(MPI_Cart_coords, line, number, 1, place);
  CALL(MPI_Cart_shift, line, 0, 1, &number, &next);
  failures += next != other;
  CALL(MPI_Cart_sub, line, periods, &part), CALL(MPI_Comm_free, &part), CALL(MPI_Comm_free, &line);
  CALL(MPI_Graph_map, MPI_COMM_WORLD, 2, index, edges, &number);
  CALL(MPI_Graph_create, MPI_COMM_WORLD, 2, index, edges, 0, &graph);
  CALL(MPI_Graphdims_get, graph, &number, &next);
  CALL(MPI_Graph_get, graph, 2, 2, index, edges);
  CALL(MPI_Graph_neighbors_count, graph, rank, &number);
  CALL(MPI_Graph_neighbors, graph, rank, 1, &next);
  failures += next != other;
  CALL(MPI_Topo_test, graph, &number), CALL(MPI_Comm_free, &graph);
}

static void environment(void) {
  char name[MPI_MAX_PROCESSOR_NAME], text[MPI_MAX_ERROR_STRING];
  int number = 0, class = 0;
  double (*clocks[2])(void) = {MPI_Wtime,
                               PMPI_Wtime}; /* req 1.2.26: functions, whatever else they are */
  MPI_Errhandler own, saved;
  CALL(MPI_Get_processor_name, name, &number);
  failures += (COUNT(MPI_Wtime), MPI_Wtime()) > clocks[1]() || (COUNT(MPI_Wtick), MPI_Wtick()) <= 0;
  failures += clocks[0]() > clocks[1]();
  COUNT(MPI_Wtime); /* the one through the pointer */
  CALL(MPI_Errhandler_create, handler, &own);
  CALL(MPI_Errhandler_get, MPI_COMM_WORLD, &saved);
  CALL(MPI_Errhandler_set, MPI_COMM_WORLD, own);
  CALL(MPI_Error_class, CALL(MPI_Send, &number, 1, MPI_INT, 9, 0, MPI_COMM_WORLD), &class);
  failures += class != MPI_ERR_RANK;
  CALL(MPI_Errhandler_set, MPI_COMM_WORLD, saved);
  CALL(MPI_Errhandler_free, &own), CALL(MPI_Errhandler_free, &saved);
  CALL(MPI_Error_string, class, text, &number);
  for (int level = -1; level <= 3; level++) /* req 8.2.6: any level, anything after it, no effect */
    failures += CALL(MPI_Pcontrol, level) != MPI_SUCCESS ||
                CALL(MPI_Pcontrol, level, "more", 3.5) != MPI_SUCCESS;
}

/* Before MPI_Abort, which the program calls last, if it is told to. */
void before_abort(void) {
  if (profiled[CALL_MPI_Abort] == 1) printf("MPI_Abort was counted once\n");
  fflush(stdout);
}

/* req 8.2.1, req 8.2.2, req 8.2.7: each function has its twin, and the library itself calls none of
 * those replaced. */
static int compare(void) {
  for (int i = 0; i < CALLS; i++) {
    if (called[i] == profiled[i] && (called[i] > 0 || i == CALL_MPI_Abort)) continue;
    fprintf(stderr, "rank %d: %s was called %ld times, counted %ld times\n", rank,
            profiled_names[i], called[i], profiled[i]);
    failures++;
  }
  return failures == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  int flag = 0;
  CALL(MPI_Initialized, &flag);
  CALL(MPI_Init, &argc, &argv);
  CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
  int size = 0;
  CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
  other = 1 - rank;
  if (argc > 1 && strcmp(argv[1], "abort") == 0) CALL(MPI_Abort, MPI_COMM_WORLD, 3);
  point_to_point();
  types();
  collectives();
  groups();
  communicators();
  topologies();
  environment();
  COUNT(MPI_Finalize), MPI_Finalize();
  return compare();
}
