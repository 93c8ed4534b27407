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

/* ---- amounts of data of nonblocking and persistent operations ---- */

static void complete(MPI_Request request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void iallreduce(void) {
  MPI_Request request;
  MPI_Iallreduce(in, out, rank == 1 ? 3 : 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  complete(request);
}
static void ibarrier(void) {
  MPI_Request request;
  if (rank == 1)
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
  else
    MPI_Iallreduce(in, out, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  complete(request);
}
static void allreduce_init(void) {
  MPI_Request request;
  MPI_Allreduce_init(in, out, rank == 1 ? 3 : 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
  MPI_Start(&request);
  complete(request);
}

/* ---- calls that go as messages of equal lengths, and a call that compares them ---- */

static void other_root(void) {
  MPI_Request request;
  MPI_Ibcast(in, count, MPI_INT, rank == 1, MPI_COMM_WORLD, &request);
  complete(request);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void other_reduction(void) {
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Iallreduce(in, out, count, MPI_INT, other_op(), MPI_COMM_WORLD, &request);
  complete(request);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void other_operation(void) { /* of two ranks: one message either way */
  MPI_Request request;
  if (rank == 1)
    MPI_Ireduce(in, NULL, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request);
  else
    MPI_Igather(in, count, MPI_INT, out, count, MPI_INT, 0, MPI_COMM_WORLD, &request);
  complete(request);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void other_init(void) { /* compared at the end */
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast_init(in, count, MPI_INT, rank == 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Request_free(&request);
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

/* ---- types of messages, sent by rank 0 and received by rank 1, which shows what the receive
   says ---- */

static MPI_Datatype type_of(MPI_Datatype first, MPI_Datatype second) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {first, second};
  MPI_Datatype made;
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Type_commit(&made);
  return made;
}

enum way { EXPECTED, UNEXPECTED, SYNCHRONOUS, MATCHED, PERSISTENT, COMPLETED, WAYS };
static const char* const names[] = {"expected", "unexpected", "synchronous",
                                    "matched",  "persistent", "completed"};

static void sent(enum way way, int n, MPI_Datatype type) {
  MPI_Request request;
  if (way == UNEXPECTED || way == MATCHED) {
    MPI_Isend(in, n, type, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (way == SYNCHRONOUS)
    MPI_Ssend(in, n, type, 1, 3, MPI_COMM_WORLD);
  else
    MPI_Send(in, n, type, 1, 3, MPI_COMM_WORLD);
}

static int received(enum way way, int n, MPI_Datatype type) {
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  int code;
  if (way == UNEXPECTED || way == MATCHED) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (way == UNEXPECTED) return MPI_Recv(out, n, type, 0, 3, MPI_COMM_WORLD, &status);
    MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, &status);
    return MPI_Mrecv(out, n, type, &message, &status);
  }
  if (way == PERSISTENT) {
    MPI_Recv_init(out, n, type, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
  } else {
    MPI_Irecv(out, n, type, 0, 3, MPI_COMM_WORLD, &request);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (way == COMPLETED) {
    code = MPI_Waitall(1, &request, &status);
    return code == MPI_ERR_IN_STATUS ? status.MPI_ERROR : code;
  }
  code = MPI_Wait(&request, &status);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  return code;
}

static void message(const char* of, enum way way, int n, MPI_Datatype from, int m,
                    MPI_Datatype to) {
  char name[80];
  snprintf(name, sizeof name, "%s %s", of, names[way]);
  memset(out, 0, sizeof out);
  if (rank == 0) sent(way, n, from);
  if (rank != 1) return;
  show(name, received(way, m, to));
  if (n > 0 && memcmp(in, out, 4) != 0) printf("%s: the data is not there\n", name);
}

static void types(void) {
  MPI_Datatype one = type_of(MPI_INT, MPI_DOUBLE), other = type_of(MPI_FLOAT, MPI_DOUBLE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (enum way way = EXPECTED; way < WAYS; ++way) {
    message("short", way, 4, MPI_INT, 4, MPI_FLOAT);
    message("middle", way, 500, MPI_INT, 600, MPI_FLOAT);
    message("long", way, kMany, MPI_INT, kMany, MPI_FLOAT);
    message("struct", way, 3, one, 4, other);
    message("part", way, 2, MPI_INT, 1, MPI_DOUBLE);
  }
  MPI_Type_free(&one);
  MPI_Type_free(&other);
}

/* What is packed still has its types. */
static void buffered(void) {
  static char room[65536], *old;
  int bytes;
  MPI_Datatype pair, one = type_of(MPI_INT, MPI_DOUBLE), other = type_of(MPI_FLOAT, MPI_DOUBLE);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const struct {
    const char* name;
    int count;
    MPI_Datatype sent, wanted;
    int second; /* the place of the second number that is sent; 0: not looked at */
  } all[] = {{"other", 4, MPI_INT, MPI_FLOAT, 1}, {"vector", 2, pair, MPI_FLOAT, 2},
             {"several", 2, one, other, 0},       {"same", 4, MPI_INT, MPI_INT32_T, 1},
             {"same several", 2, one, one, 0},    {"bytes", 4, MPI_BYTE, MPI_FLOAT, 0}};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Buffer_attach(room, sizeof room);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    if (rank == 0) MPI_Bsend(in, all[i].count, all[i].sent, 1, 3, MPI_COMM_WORLD);
    if (rank != 1) continue;
    show(all[i].name, MPI_Recv(out, 4, all[i].wanted, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (all[i].second != 0 && out[1] != in[all[i].second]) printf("%s: wrong\n", all[i].name);
  }
  MPI_Buffer_detach(&old, &bytes);
  MPI_Type_free(&pair);
  MPI_Type_free(&one);
  MPI_Type_free(&other);
}

/* Twice: the second start knows what the first was told. */
static void partitions_as(const char* name, int n, MPI_Datatype from, int m, MPI_Datatype to) {
  MPI_Request request;
  if (rank == 0) MPI_Psend_init(in, 4, n, from, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == 1) MPI_Precv_init(out, 2, m, to, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2 && rank < 2; ++i) {
    memset(out, 0, sizeof out);
    MPI_Start(&request);
    if (rank == 0) MPI_Pready_range(0, 3, request);
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) show(name, code);
    if (rank == 1 && memcmp(in, out, 4) != 0) printf("%s: the data is not there\n", name);
  }
  if (rank < 2) MPI_Request_free(&request);
}

static void partitions(void) {
  MPI_Datatype one = type_of(MPI_INT, MPI_DOUBLE), other = type_of(MPI_FLOAT, MPI_DOUBLE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  partitions_as("other", 2, MPI_INT, 4, MPI_FLOAT);
  partitions_as("several", 2, one, 4, other);
  partitions_as("same", 2, MPI_INT, 4, MPI_INT32_T);
  partitions_as("same several", 2, one, 4, one);
  partitions_as("more", 2, one, 9, one);
  partitions_as("bytes", 8, MPI_BYTE, 4, MPI_FLOAT);
  MPI_Type_free(&one);
  MPI_Type_free(&other);
}

/* MPI_INT and MPI_INT32_T are two names of one type, MPI_BYTE and MPI_PACKED fit what is given; a
   receive may ask for more than is sent. */
static void types_that_fit(void) {
  MPI_Datatype pair, two = type_of(MPI_INT, MPI_INT32_T), mixed = type_of(MPI_INT, MPI_DOUBLE);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (enum way way = EXPECTED; way < WAYS; ++way) {
    message("names", way, 4, MPI_INT, 4, MPI_INT32_T);
    message("bytes", way, 16, MPI_BYTE, 4, MPI_FLOAT);
    message("to bytes", way, 4, MPI_FLOAT, 16, MPI_BYTE);
    message("packed", way, 4, MPI_FLOAT, 16, MPI_PACKED);
    message("more", way, 4, MPI_INT, 400, MPI_INT);
    message("long", way, kMany, MPI_INT, kMany + 5, MPI_INT32_T);
    message("pairs", way, 2, pair, 4, MPI_INT);
    message("two names", way, 4, MPI_INT, 2, two);
    message("struct", way, 2, mixed, 5, mixed);
    message("prefix", way, 1, MPI_INT, 5, mixed);
    message("nothing", way, 0, MPI_INT, 5, MPI_DOUBLE);
  }
  MPI_Type_free(&pair);
  MPI_Type_free(&two);
  MPI_Type_free(&mixed);
}

/* ---- nothing is wrong here ---- */

/* Blocks of gatherv and alltoallv have any lengths; the types may differ where bytes do not. */
static void waited_for(MPI_Comm comm, MPI_Op op, int n, int root, MPI_Datatype pair) {
  MPI_Request requests[5];
  int counts[16], places[16];
  for (int i = 0; i < size; ++i) counts[i] = i + n, places[i] = 32 * i;
  MPI_Iallreduce(n % 2 != 0 ? MPI_IN_PLACE : in, out, n, MPI_INT, op, comm, requests);
  MPI_Ibcast(in, rank == 0 ? 2 * n : n, rank == 0 ? MPI_INT : pair, root, comm, requests + 1);
  MPI_Igatherv(in + 64, rank + n, MPI_INT, out + 1024, counts, places, MPI_INT, root, comm,
               requests + 2);
  MPI_Iallgatherv(in + 64, rank + n, MPI_INT, out + 2048, counts, places, MPI_INT, comm,
                  requests + 3);
  MPI_Ibarrier(comm, requests + 4);
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
}

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
    waited_for(comm, op, n, root, pair);
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
    CASE(reduce),     CASE(allreduce),    CASE(reduce_scatter),  CASE(reduce_scatter_block),
    CASE(scan),       CASE(exscan),       CASE(own_reduction),   CASE(bcast),
    CASE(scatter),    CASE(empty_gather), CASE(one_more),        CASE(freed),
    CASE(returned),   CASE(never_freed),  CASE(types),           CASE(types_that_fit),
    CASE(iallreduce), CASE(ibarrier),     CASE(allreduce_init),  CASE(buffered),
    CASE(partitions), CASE(other_root),   CASE(other_reduction), CASE(other_operation),
    CASE(other_init), CASE(matching)};

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
