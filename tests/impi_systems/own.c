/* SPDX-License-Identifier: BSD-3-Clause */
/* What the protocol has no packets for: between systems that are all ours it works (req impi 23.1),
 * otherwise it is refused, which the argument `refused` expects (req impi 20.8). */
#include "check.h"

enum { kCount = 300 };

static int refused;

/* Sums of ranks, large enough for values that external32 has no room for. */
static long large(int rank, int i) {
  return ((long)rank + 1) * 10000000000L + i;
}

static void fill(long* data, int rank) {
  for (int i = 0; i < kCount; ++i) data[i] = large(rank, i);
}

static void check_sum(const long* data, int first, int end) {
  for (int i = 0; i < kCount; ++i) {
    long sum = 0;
    for (int r = first; r < end; ++r) sum += large(r, i);
    CHECK(data[i] == sum);
  }
}

static void expect_refusal(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_UNSUPPORTED_OPERATION);
}

static void refusals(void) {
  int value = 1, sum = 0;
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  expect_refusal(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  expect_refusal(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  expect_refusal(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  expect_refusal(MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  expect_refusal(MPI_Reduce_scatter_block(&value, &sum, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Several at once, among operations of the protocol on the same communicator. */
static void nonblocking(void) {
  long mine[kCount], sum[kCount], prefix[kCount], copy[kCount];
  long* all = malloc(sizeof(long) * kCount * (size_t)size);
  long* blocks = malloc(sizeof(long) * kCount * (size_t)size);
  MPI_Request requests[5];
  int one = 1, total = 0;
  fill(mine, me);
  fill(copy, me == size - 1 ? me : 0);
  MPI_Iallreduce(mine, sum, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(copy, kCount, MPI_LONG, size - 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(total == size);
  MPI_Iallgather(mine, kCount, MPI_LONG, all, kCount, MPI_LONG, MPI_COMM_WORLD, &requests[2]);
  MPI_Iscan(mine, prefix, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &requests[3]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]);
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  check_sum(sum, 0, size);
  check_sum(copy, size - 1, size);
  check_sum(prefix, 0, me + 1);
  for (int r = 0; r < size; ++r) check_sum(all + r * kCount, r, r + 1);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < kCount; ++i) all[r * kCount + i] = large(me * 100 + r, i);
  MPI_Ialltoall(all, kCount, MPI_LONG, blocks, kCount, MPI_LONG, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int r = 0; r < size; ++r) CHECK(blocks[r * kCount] == large(r * 100 + me, 0));
  MPI_Igather(mine, kCount, MPI_LONG, all, kCount, MPI_LONG, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int r = 0; r < size && me == 0; ++r) check_sum(all + r * kCount, r, r + 1);
  MPI_Iscatter(all, kCount, MPI_LONG, copy, kCount, MPI_LONG, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  check_sum(copy, me, me + 1);
  free(blocks);
  free(all);
}

/* A type with gaps goes and comes with them. */
static void gaps(void) {
  MPI_Datatype every_other;
  int data[2 * kCount];
  MPI_Request request;
  MPI_Type_vector(kCount, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  for (int i = 0; i < 2 * kCount; ++i) data[i] = me == 0 && i % 2 == 0 ? i : -1;
  MPI_Ibcast(data, 1, every_other, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * kCount; ++i) CHECK(data[i] == (i % 2 == 0 ? i : -1));
  MPI_Type_free(&every_other);
}

static void later_ones(void) {
  long mine[kCount], out[kCount];
  MPI_Request request;
  fill(mine, me);
  MPI_Exscan(mine, out, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (me > 0) check_sum(out, 0, me);
  MPI_Allreduce_init(mine, out, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < 3; ++round) {
    memset(out, 0, sizeof out);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_sum(out, 0, size);
  }
  MPI_Request_free(&request);
  long* all = malloc(sizeof(long) * kCount * (size_t)size);
  for (int r = 0; r < size; ++r) fill(all + r * kCount, me);
  MPI_Reduce_scatter_block(all, out, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  check_sum(out, 0, size);
  free(all);
}

/* Topologies are constructors of MPI-1; their exchanges with neighbours are later ones. */
static void topologies(void) {
  MPI_Comm ring, line;
  const int period = 1, keep = 1;
  int left, right, rank, from[2] = {-1, -1}, n;
  MPI_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 1, &ring);
  MPI_Comm_rank(ring, &rank);
  CHECK(rank == me);
  MPI_Cart_shift(ring, 0, 1, &left, &right);
  CHECK(left == (me + size - 1) % size && right == (me + 1) % size);
  if (!refused) {
    MPI_Ineighbor_allgather(&me, 1, MPI_INT, from, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(from[0] == left && from[1] == right);
  }
  MPI_Cart_sub(ring, &keep, &line);
  MPI_Comm_size(line, &n);
  CHECK(n == size);
  MPI_Bcast(&from[0], 1, MPI_INT, 0, line);
  MPI_Comm_free(&line);
  MPI_Comm_free(&ring);
  int* index = malloc(sizeof(int) * (size_t)size);
  int* edges = malloc(sizeof(int) * (size_t)size);
  for (int r = 0; r < size; ++r) {
    index[r] = r + 1;
    edges[r] = (r + 1) % size;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
  MPI_Graph_neighbors_count(ring, me, &n);
  CHECK(n == 1);
  MPI_Barrier(ring);
  MPI_Comm_free(&ring);
  free(index);
  free(edges);
}

/* Even ranks and odd ones: collective operations on an intercommunicator. */
static void between_groups(void) {
  MPI_Comm half, inter;
  int n = 0, remote = 0, rank = 0;
  long mine[kCount], sum[kCount];
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 9, &inter);
  MPI_Comm_size(inter, &n);
  MPI_Comm_remote_size(inter, &remote);
  MPI_Comm_rank(inter, &rank);
  fill(mine, me);
  MPI_Barrier(inter);
  MPI_Allreduce(mine, sum, kCount, MPI_LONG, MPI_SUM, inter);
  for (int i = 0; i < kCount; ++i) {
    long expected = 0;
    for (int r = 1 - me % 2; r < size; r += 2) expected += large(r, i);
    CHECK(sum[i] == expected);
  }
  if (me % 2 == 0)
    MPI_Bcast(mine, kCount, MPI_LONG, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  else
    MPI_Bcast(sum, kCount, MPI_LONG, 0, inter);
  if (me % 2 == 1) check_sum(sum, 0, 1);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  refused = argc > 1 && strcmp(argv[1], "refused") == 0;
  topologies();
  if (refused) {
    refusals();
  } else {
    nonblocking();
    gaps();
    later_ones();
    between_groups();
  }
  end("own");
  return 0;
}
