/* SPDX-License-Identifier: BSD-3-Clause
   Collective calls in which count and type differ from rank to rank, while the data they name is
   the same. */
#include "type_map.h"

enum { BLANK = -99 };

/* The ways in which 6n ints can be named: as ints, as pairs, as one type with gaps, as one type in
 * another order. */
typedef struct {
  MPI_Datatype type;
  int count;
  int spread; /* ints of memory from one element to the next */
} Shape;

static Shape shape_of(int which, int n) {
  Shape shape = {MPI_DATATYPE_NULL, 6 * n, 1};
  switch (which % 4) {
    case 0:
      MPI_Type_contiguous(1, MPI_INT, &shape.type);
      break;
    case 1:
      MPI_Type_contiguous(3, MPI_INT, &shape.type);
      shape.count = 2 * n;
      break;
    case 2:
      MPI_Type_vector(6 * n, 1, 2, MPI_INT, &shape.type);
      shape.count = 1;
      shape.spread = 2;
      break;
    default:
      MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &shape.type);
      shape.spread = 3;
  }
  MPI_Type_commit(&shape.type);
  return shape;
}

/* Room for `blocks` blocks of 6n ints however they are spread, blank. */
static int* memory(int n, int blocks) {
  int* data = malloc((size_t)(18 * n * blocks) * sizeof(int));
  for (int i = 0; i < 18 * n * blocks; i++) data[i] = BLANK;
  return data;
}

/* Where int i of block b lies: blocks begin where the extents of those before end. */
static int place(const Shape* shape, int n, int b, int i) {
  const int block = shape->spread == 2 ? 12 * n - 1 : 6 * n * shape->spread;
  return b * block + i * shape->spread;
}

static int value(int from, int to, int i) {
  return 1000003 * from + 1009 * to + i;
}

static void put(int* data, const Shape* shape, int n, int b, int from, int to) {
  for (int i = 0; i < 6 * n; i++) data[place(shape, n, b, i)] = value(from, to, i);
}

static int wrong(const int* data, const Shape* shape, int n, int b, int from, int to) {
  int found = 0;
  for (int i = 0; i < 6 * n; i++) {
    const int at = place(shape, n, b, i);
    found += data[at] != value(from, to, i);
    if (i < 6 * n - 1 && shape->spread > 1) found += data[at + 1] != BLANK;
  }
  return found;
}

static void broadcast(MPI_Comm comm, int n) {
  for (int root = 0; root < size_of(comm); root += 2) {
    Shape shape = shape_of(rank_in(comm) + root, n);
    int* data = memory(n, 1);
    if (rank_in(comm) == root) put(data, &shape, n, 0, root, 0);
    MPI_Bcast(data, shape.count, shape.type, root, comm);
    CHECK_EQUAL(wrong(data, &shape, n, 0, root, 0), 0);
    MPI_Type_free(&shape.type);
    free(data);
  }
}

static void gather_and_scatter(MPI_Comm comm, int n) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  const int root = size - 1;
  Shape mine = shape_of(me, n);
  Shape whole = shape_of(me + 2, n);
  int* block = memory(n, 1);
  int* all = memory(n, size);
  put(block, &mine, n, 0, me, 1);
  MPI_Gather(block, mine.count, mine.type, all, whole.count, whole.type, root, comm);
  for (int b = 0; b < size && me == root; b++) CHECK_EQUAL(wrong(all, &whole, n, b, b, 1), 0);
  for (int b = 0; b < size && me == root; b++) put(all, &whole, n, b, root, b);
  MPI_Scatter(all, whole.count, whole.type, block, mine.count, mine.type, root, comm);
  CHECK_EQUAL(wrong(block, &mine, n, 0, root, me), 0);
  MPI_Type_free(&mine.type);
  MPI_Type_free(&whole.type);
  free(block);
  free(all);
}

static void all_to_all(MPI_Comm comm, int n) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  Shape send = shape_of(me, n);
  Shape receive = shape_of(me + 3, n);
  int* out = memory(n, size);
  int* in = memory(n, size);
  for (int b = 0; b < size; b++) put(out, &send, n, b, me, b);
  MPI_Alltoall(out, send.count, send.type, in, receive.count, receive.type, comm);
  for (int b = 0; b < size; b++) CHECK_EQUAL(wrong(in, &receive, n, b, b, me), 0);
  free(in);
  in = memory(n, size);
  put(out, &send, n, 0, me, 77);
  MPI_Allgather(out, send.count, send.type, in, receive.count, receive.type, comm);
  for (int b = 0; b < size; b++) CHECK_EQUAL(wrong(in, &receive, n, b, b, 77), 0);
  MPI_Type_free(&send.type);
  MPI_Type_free(&receive.type);
  free(out);
  free(in);
}

/* Unlike basic types in one block: each rank with gaps of its own. */
static void mixed(MPI_Comm comm) {
  const int me = rank_in(comm);
  int lengths[2] = {1, 3};
  MPI_Aint places[2] = {0, 8 + 4 * (me % 3)};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype type;
  char data[64];
  double number = 0.5;
  short three[3] = {1, 2, 3};
  MPI_Type_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  memset(data, 0x33, sizeof data);
  if (me == 0) memcpy(data, &number, sizeof number);
  if (me == 0) memcpy(data + places[1], three, sizeof three);
  MPI_Bcast(data, 1, type, 0, comm);
  CHECK(memcmp(data, &number, sizeof number) == 0);
  CHECK(memcmp(data + places[1], three, sizeof three) == 0);
  for (int i = 8; i < (int)sizeof data; i++)
    CHECK((i >= places[1] && i < places[1] + 6) || data[i] == 0x33);
  MPI_Type_free(&type);
}

static void broadcast_short(MPI_Comm comm) {
  broadcast(comm, 2);
}
static void broadcast_long(MPI_Comm comm) {
  broadcast(comm, 12000);
}
static void gather_short(MPI_Comm comm) {
  gather_and_scatter(comm, 2);
}
static void gather_long(MPI_Comm comm) {
  gather_and_scatter(comm, 6000);
}
static void all_to_all_short(MPI_Comm comm) {
  all_to_all(comm, 2);
}
static void all_to_all_long(MPI_Comm comm) {
  all_to_all(comm, 3000);
}

static const Case cases[] = {
    {"req 4.3.7", "short broadcast, named differently by each rank", ANY, broadcast_short},
    {"req 4.3.7", "long broadcast, named differently by each rank", ANY, broadcast_long},
    {"req 4.3.7", "short blocks gathered and scattered, named differently by each rank", ANY,
     gather_short},
    {"req 4.3.7", "long blocks gathered and scattered, named differently by each rank", ANY,
     gather_long},
    {"req 4.3.7", "short blocks from all to all, named differently by each rank", ANY,
     all_to_all_short},
    {"req 4.3.7", "long blocks from all to all, named differently by each rank", ANY,
     all_to_all_long},
    {"req 4.3.7", "a mixed signature, with other gaps at each rank", ANY, mixed},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
