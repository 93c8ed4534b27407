/* SPDX-License-Identifier: BSD-3-Clause
   The collective calls that move data: where each block comes from, where it goes, and that all
   else stays. */
#include "type_map.h"

enum { LONG_COUNT = 30000, BLANK = -99 };

static int* blanks(int count) {
  int* data = malloc((size_t)count * sizeof(int) + 1);
  for (int i = 0; i < count; i++) data[i] = BLANK;
  return data;
}

/* What rank `from` has for rank `to` at place i. */
static int value(int from, int to, int i) {
  return 1000003 * from + 1009 * to + i;
}

static int wrong_block(const int* data, int count, int from, int to) {
  int wrong = 0;
  for (int i = 0; i < count; i++) wrong += data[i] != value(from, to, i);
  return wrong;
}

static void make_block(int* data, int count, int from, int to) {
  for (int i = 0; i < count; i++) data[i] = value(from, to, i);
}

static void broadcast(MPI_Comm comm) {
  const int counts[3] = {1, 100, LONG_COUNT};
  int* data = blanks(LONG_COUNT + 1);
  for (int root = 0; root < size_of(comm); root++) {
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i <= LONG_COUNT; i++) data[i] = BLANK;
      if (rank_in(comm) == root) make_block(data, counts[k], root, k);
      MPI_Bcast(data, counts[k], MPI_INT, root, comm);
      CHECK_EQUAL(wrong_block(data, counts[k], root, k), 0);
      CHECK_EQUAL(data[counts[k]], BLANK);
    }
  }
  free(data);
}

static void nothing_at_all(MPI_Comm comm) {
  int data = BLANK;
  int other = BLANK;
  MPI_Bcast(&data, 0, MPI_INT, 0, comm);
  MPI_Bcast(NULL, 0, MPI_INT, 0, comm);
  MPI_Gather(&data, 0, MPI_INT, &other, 0, MPI_INT, 0, comm);
  MPI_Scatter(&data, 0, MPI_INT, &other, 0, MPI_INT, 0, comm);
  MPI_Allgather(&data, 0, MPI_INT, &other, 0, MPI_INT, comm);
  MPI_Alltoall(&data, 0, MPI_INT, &other, 0, MPI_INT, comm);
  CHECK(data == BLANK && other == BLANK);
}

/* Blocks of two ints with a gap of one behind each int: rank i's block begins i times two extents
 * in. */
static void gather_places(MPI_Comm comm) {
  const int size = size_of(comm);
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, 2 * sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_UB};
  MPI_Datatype spaced;
  MPI_Type_struct(2, lengths, places, types, &spaced);
  MPI_Type_commit(&spaced);
  for (int root = 0; root < size; root++) {
    int mine[2] = {value(rank_in(comm), root, 0), value(rank_in(comm), root, 1)};
    int* all = blanks(4 * size);
    MPI_Gather(mine, 2, MPI_INT, all, 2, spaced, root, comm);
    for (int i = 0; i < 4 * size; i++) {
      const int gap = i % 2 == 1 || rank_in(comm) != root;
      CHECK_EQUAL(all[i], gap ? BLANK : value(i / 4, root, i % 4 / 2));
    }
    free(all);
  }
  MPI_Type_free(&spaced);
}

static void gather_long(MPI_Comm comm) {
  const int size = size_of(comm);
  const int root = size / 2;
  int* mine = blanks(LONG_COUNT);
  int* all = blanks(LONG_COUNT * size);
  make_block(mine, LONG_COUNT, rank_in(comm), 7);
  MPI_Gather(mine, LONG_COUNT, MPI_INT, all, LONG_COUNT, MPI_INT, root, comm);
  for (int i = 0; i < size && rank_in(comm) == root; i++) {
    CHECK_EQUAL(wrong_block(all + i * LONG_COUNT, LONG_COUNT, i, 7), 0);
  }
  make_block(mine, LONG_COUNT, BLANK, BLANK);
  MPI_Scatter(all, LONG_COUNT, MPI_INT, mine, LONG_COUNT, MPI_INT, root, comm);
  CHECK_EQUAL(wrong_block(mine, LONG_COUNT, rank_in(comm), 7), 0);
  free(mine);
  free(all);
}

/* Rank i has i + 1 ints; the blocks lie in reverse order with gaps of one extent of {int, gap,
 * gap}. */
static void gatherv_backwards(MPI_Comm comm) {
  const int size = size_of(comm);
  const int me = rank_in(comm);
  const int stride = size + 1;
  int* counts = blanks(size);
  int* places = blanks(size);
  int* mine = blanks(size);
  int* all = blanks(3 * stride * size);
  int* expected = blanks(3 * stride * size);
  MPI_Datatype spaced;
  MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  for (int i = 0; i < size; i++) {
    counts[i] = i + 1;
    places[i] = (size - 1 - i) * stride;
    for (int k = 0; k <= i; k++) expected[3 * (places[i] + k)] = value(i, 0, k);
  }
  make_block(mine, me + 1, me, 0);
  MPI_Gatherv(mine, me + 1, MPI_INT, all, counts, places, spaced, 0, comm);
  if (me == 0) CHECK(memcmp(all, expected, (size_t)(3 * stride * size) * sizeof(int)) == 0);
  make_block(mine, me + 1, BLANK, BLANK);
  MPI_Scatterv(expected, counts, places, spaced, mine, me + 1, MPI_INT, 0, comm);
  CHECK_EQUAL(wrong_block(mine, me + 1, me, 0), 0);
  for (int k = me + 1; k < size; k++) CHECK_EQUAL(mine[k], BLANK);
  MPI_Type_free(&spaced);
  free(counts);
  free(places);
  free(mine);
  free(all);
  free(expected);
}

/* The same place of the root's buffer may go to everybody. */
static void scatterv_shared(MPI_Comm comm) {
  const int size = size_of(comm);
  int* counts = blanks(size);
  int* places = blanks(size);
  int data[4] = {1, 2, 3, 4};
  int got[4] = {BLANK, BLANK, BLANK, BLANK};
  for (int i = 0; i < size; i++) {
    counts[i] = 3;
    places[i] = i % 2;
  }
  MPI_Scatterv(data, counts, places, MPI_INT, got, 3, MPI_INT, 0, comm);
  for (int k = 0; k < 3; k++) CHECK_EQUAL(got[k], 1 + k + rank_in(comm) % 2);
  CHECK_EQUAL(got[3], BLANK);
  free(counts);
  free(places);
}

static void allgather(MPI_Comm comm) {
  const int counts[2] = {2, LONG_COUNT};
  const int size = size_of(comm);
  for (int k = 0; k < 2; k++) {
    int* mine = blanks(counts[k]);
    int* all = blanks(counts[k] * size + 1);
    make_block(mine, counts[k], rank_in(comm), 3);
    MPI_Allgather(mine, counts[k], MPI_INT, all, counts[k], MPI_INT, comm);
    for (int i = 0; i < size; i++)
      CHECK_EQUAL(wrong_block(all + i * counts[k], counts[k], i, 3), 0);
    CHECK_EQUAL(all[counts[k] * size], BLANK);
    free(mine);
    free(all);
  }
}

/* Each rank wants the blocks, of different lengths, in an order of its own. */
static void allgatherv(MPI_Comm comm, int unit) {
  const int size = size_of(comm);
  const int me = rank_in(comm);
  const int stride = size * unit + 1;
  int* counts = blanks(size);
  int* places = blanks(size);
  int* mine = blanks(size * unit);
  int* all = blanks(stride * size);
  int untouched = 0;
  int taken = 0;
  for (int i = 0; i < size; i++) {
    counts[i] = (i % 3) * unit; /* some have nothing */
    places[i] = (i + me) % size * stride;
    taken += counts[i];
  }
  make_block(mine, counts[me], me, 5);
  MPI_Allgatherv(mine, counts[me], MPI_INT, all, counts, places, MPI_INT, comm);
  for (int i = 0; i < size; i++) CHECK_EQUAL(wrong_block(all + places[i], counts[i], i, 5), 0);
  for (int i = 0; i < stride * size; i++) untouched += all[i] == BLANK;
  CHECK_EQUAL(untouched, stride * size - taken);
  free(counts);
  free(places);
  free(mine);
  free(all);
}

static void allgatherv_short(MPI_Comm comm) {
  allgatherv(comm, 1);
}
static void allgatherv_long(MPI_Comm comm) {
  allgatherv(comm, 10000);
}

static void alltoall(MPI_Comm comm) {
  const int counts[3] = {1, 50, LONG_COUNT};
  const int size = size_of(comm);
  const int me = rank_in(comm);
  for (int k = 0; k < 3; k++) {
    const int count = counts[k];
    int* out = blanks(count * size);
    int* in = blanks(count * size + 1);
    for (int i = 0; i < size; i++) make_block(out + i * count, count, me, i);
    MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
    for (int i = 0; i < size; i++) CHECK_EQUAL(wrong_block(in + i * count, count, i, me), 0);
    CHECK_EQUAL(in[count * size], BLANK);
    free(out);
    free(in);
  }
}

/* How many units rank `from` sends to rank `to`; sometimes none. */
static int units(int from, int to) {
  return (2 * from + 3 * to) % 4;
}

/* Counts and displacements differ from rank to rank, and are in units of each side's own type. */
static void alltoallv(MPI_Comm comm, int unit) {
  const int size = size_of(comm);
  const int me = rank_in(comm);
  const int stride = 4 * unit;
  int* lists[4];
  int* out = blanks(stride * size);
  int* in = blanks(stride * size);
  MPI_Datatype run;
  int wrong = 0;
  MPI_Type_contiguous(unit, MPI_INT, &run);
  MPI_Type_commit(&run);
  for (int k = 0; k < 4; k++) lists[k] = blanks(size);
  for (int i = 0; i < size; i++) {
    lists[0][i] = units(me, i);                          /* sent, in runs */
    lists[1][i] = 4 * ((i + me) % size);                 /* from where, in runs */
    lists[2][i] = units(i, me) * unit;                   /* received, in ints */
    lists[3][i] = stride * ((size - 1 - i + me) % size); /* to where, in ints */
    make_block(out + lists[1][i] * unit, lists[0][i] * unit, me, i);
  }
  MPI_Alltoallv(out, lists[0], lists[1], run, in, lists[2], lists[3], MPI_INT, comm);
  for (int i = 0; i < size; i++) {
    wrong += wrong_block(in + lists[3][i], lists[2][i], i, me);
    for (int k = lists[2][i]; k < stride; k++) wrong += in[lists[3][i] + k] != BLANK;
  }
  CHECK_EQUAL(wrong, 0);
  for (int k = 0; k < 4; k++) free(lists[k]);
  MPI_Type_free(&run);
  free(out);
  free(in);
}

static void alltoallv_short(MPI_Comm comm) {
  alltoallv(comm, 1);
}
static void alltoallv_long(MPI_Comm comm) {
  alltoallv(comm, 8000);
}

/* A column of a matrix of `rows` rows and `columns` columns, with the extent of one int: columns
 * interleave. */
static MPI_Datatype column(int rows, int columns) {
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, sizeof(int)};
  MPI_Datatype types[2];
  MPI_Datatype type;
  MPI_Type_vector(rows, 1, columns, MPI_INT, &types[0]);
  types[1] = MPI_UB;
  MPI_Type_struct(2, lengths, places, types, &type);
  MPI_Type_free(&types[0]);
  return committed(type);
}

/* Columns go out to the ranks and come back, next to each other, though each spans the whole
 * matrix. */
static void columns_interleave(MPI_Comm comm) {
  enum { ROWS = 300 };
  const int size = size_of(comm);
  const size_t bytes = (size_t)(ROWS * size) * sizeof(int);
  int* matrix = blanks(ROWS * size);
  int* again = blanks(ROWS * size);
  int mine[ROWS];
  MPI_Datatype type = column(ROWS, size);
  CHECK_EQUAL(extent_of(type), (int)sizeof(int));
  for (int i = 0; i < ROWS * size; i++) matrix[i] = value(i / size, i % size, 1);
  MPI_Scatter(matrix, 1, type, mine, ROWS, MPI_INT, 0, comm);
  for (int i = 0; i < ROWS; i++) CHECK_EQUAL(mine[i], value(i, rank_in(comm), 1));
  MPI_Gather(mine, ROWS, MPI_INT, again, 1, type, 0, comm);
  if (rank_in(comm) == 0) CHECK(memcmp(matrix, again, bytes) == 0);
  memset(again, 0, bytes);
  MPI_Allgather(mine, ROWS, MPI_INT, again, 1, type, comm);
  CHECK(memcmp(matrix, again, bytes) == 0);
  memset(again, 0, bytes);
  MPI_Alltoall(matrix, 1, type, again, 1, type, comm);
  for (int i = 0; i < ROWS * size; i++) CHECK_EQUAL(again[i], value(i / size, rank_in(comm), 1));
  MPI_Type_free(&type);
  free(matrix);
  free(again);
}

static const Case cases[] = {
    {"req 4.3.12", "a broadcast copies the buffer of any root to all", ANY, broadcast},
    {"req 4.3.12", "a count of 0 moves nothing", ANY, nothing_at_all},
    {"req 4.3.13, req 4.3.9",
     "a gather places blocks by rank, count and extent, the root's own too", ANY, gather_places},
    {"req 4.3.13, req 4.3.15", "long blocks are gathered and scattered", ANY, gather_long},
    {"req 4.3.14, req 4.3.15", "blocks of unlike length lie in any order with gaps between", ANY,
     gatherv_backwards},
    {"req 4.3.15", "a scatter may read a place twice", ANY, scatterv_shared},
    {"req 4.3.16", "all ranks gather all blocks", ANY, allgather},
    {"req 4.3.16, req 4.3.18", "all ranks gather blocks of unlike length, each in its own order",
     ANY, allgatherv_short},
    {"req 4.3.16", "the same with long blocks", ANY, allgatherv_long},
    {"req 4.3.17", "block j of rank i becomes block i of rank j", ANY, alltoall},
    {"req 4.3.17, req 4.3.18", "the same with counts, places and types of each rank's own", ANY,
     alltoallv_short},
    {"req 4.3.17", "the same with long blocks of unlike length", ANY, alltoallv_long},
    {"req 4.3.19", "types with a shrunk extent interleave", ANY, columns_interleave},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
