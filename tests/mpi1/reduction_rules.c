/* SPDX-License-Identifier: BSD-3-Clause
   What holds for all reductions: the same result everywhere and every time, which types are taken,
   pairs and their ties. */
#include <stdlib.h>
#include <string.h>

#include "type_map.h"

enum { LONG_COUNT = 50000, BLANK = -99 };

/* Numbers whose sum depends on the order of the additions. */
static float rough(int rank, int i) {
  const float large = (float)(1 << (rank * 7 + i) % 24);
  return (i + rank) % 2 == 0 ? large + 0.1F * (float)rank : -large / 3.0F;
}

/* In turn each rank is the last to come. */
static void arrive_in_order(MPI_Comm comm, int first) {
  const int size = size_of(comm);
  const int me = rank_in(comm);
  const int place = (me - first % size + size) % size;
  int token = 0;
  if (place > 0) MPI_Recv(&token, 1, MPI_INT, (me + size - 1) % size, 3, comm, MPI_STATUS_IGNORE);
  if (place < size - 1) MPI_Send(&token, 1, MPI_INT, (me + 1) % size, 3, comm);
}

/* The same operands give the same bits, in whatever order the ranks come. */
static void same_every_time(MPI_Comm comm, int count) {
  const size_t bytes_of_all = (size_t)count * sizeof(float);
  const int root = size_of(comm) - 1;
  const int at_root = rank_in(comm) == root;
  float* in = malloc(bytes_of_all);
  float* first = calloc(3, bytes_of_all);
  float* again = calloc(3, bytes_of_all);
  int differences = 0;
  for (int i = 0; i < count; i++) in[i] = rough(rank_in(comm), i);
  for (int round = 0; round < 8; round++) {
    float* out = round == 0 ? first : again;
    arrive_in_order(comm, round);
    MPI_Reduce(in, at_root ? out : NULL, count, MPI_FLOAT, MPI_SUM, root, comm);
    MPI_Allreduce(in, out + count, count, MPI_FLOAT, MPI_SUM, comm);
    MPI_Scan(in, out + 2 * count, count, MPI_FLOAT, MPI_SUM, comm);
    differences += round > 0 && memcmp(first, again, 3 * bytes_of_all) != 0;
  }
  CHECK_EQUAL(differences, 0);
  free(in);
  free(first);
  free(again);
}

static void same_every_time_short(MPI_Comm comm) {
  same_every_time(comm, 5);
}
static void same_every_time_long(MPI_Comm comm) {
  same_every_time(comm, LONG_COUNT);
}

/* All ranks get the same bits, for lengths that are served by different algorithms. */
static void same_everywhere(MPI_Comm comm) {
  const int counts[5] = {1, 3, 700, 9000, LONG_COUNT};
  float* in = malloc(LONG_COUNT * sizeof(float));
  float* out = malloc(LONG_COUNT * sizeof(float));
  float* reference = malloc(LONG_COUNT * sizeof(float));
  for (int i = 0; i < LONG_COUNT; i++) in[i] = rough(rank_in(comm), i);
  for (int k = 0; k < 5; k++) {
    const size_t length = (size_t)counts[k] * sizeof(float);
    MPI_Allreduce(in, out, counts[k], MPI_FLOAT, MPI_SUM, comm);
    memcpy(reference, out, length);
    MPI_Bcast(reference, counts[k], MPI_FLOAT, 0, comm);
    CHECK(memcmp(reference, out, length) == 0);
  }
  free(in);
  free(out);
  free(reference);
}

/* Results that only some grouping of the operands in the order of ranks, or a permutation, could
 * give. */
static void within_reach(MPI_Comm comm) {
  const int size = size_of(comm);
  double mine = rank_in(comm) == 0 ? 0.5 : 1.0;
  double total = 0;
  double product = 0;
  double factor = rank_in(comm) + 1;
  double factorial = 1;
  for (int i = 1; i <= size; i++) factorial *= i;
  MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(&factor, &product, 1, MPI_DOUBLE, MPI_PROD, comm);
  CHECK(total == size - 0.5);
  CHECK(product == factorial);
}

static void commutative(MPI_Comm comm) {
  const MPI_Op ops[12] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                          MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
  (void)comm;
  for (int i = 0; i < 12; i++) {
    int commute = 0;
    MPI_Op_commutative(ops[i], &commute);
    CHECK(commute);
  }
}

/* An operation on a type that it does not take: an error of the operation or of the type, and no
 * result. */
static void refused(MPI_Comm comm, MPI_Datatype type, MPI_Op op) {
  long double in[4] = {0};
  long double out[4] = {0};
  int class = MPI_SUCCESS;
  memset(out, 0x5a, sizeof out);
  MPI_Error_class(MPI_Allreduce(in, out, 1, type, op, comm), &class);
  CHECK(class == MPI_ERR_OP || class == MPI_ERR_TYPE);
  MPI_Error_class(MPI_Reduce(in, out, 1, type, op, 0, comm), &class);
  CHECK(class == MPI_ERR_OP || class == MPI_ERR_TYPE);
  MPI_Error_class(MPI_Scan(in, out, 1, type, op, comm), &class);
  CHECK(class == MPI_ERR_OP || class == MPI_ERR_TYPE);
  CHECK(((unsigned char*)out)[0] == 0x5a);
}

static void wrong_types(MPI_Comm comm) {
  MPI_Datatype derived;
  returning(comm);
  MPI_Type_contiguous(1, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  refused(comm, derived, MPI_SUM);
  refused(comm, MPI_CHARACTER, MPI_SUM);
  refused(comm, MPI_WCHAR, MPI_MAX);
  refused(comm, MPI_CHAR, MPI_MAXLOC);
  refused(comm, MPI_BYTE, MPI_SUM);
  refused(comm, MPI_BYTE, MPI_LAND);
  refused(comm, MPI_PACKED, MPI_BOR);
  refused(comm, MPI_DOUBLE, MPI_BAND);
  refused(comm, MPI_FLOAT, MPI_LXOR);
  refused(comm, MPI_INT, MPI_MAXLOC);
  refused(comm, MPI_DOUBLE, MPI_MINLOC);
  refused(comm, MPI_2INT, MPI_SUM);
  refused(comm, MPI_DOUBLE_INT, MPI_MAX);
  refused(comm, MPI_INT, MPI_OP_NULL);
  MPI_Type_free(&derived);
}

/* What is sent stays as it is, and only the root's receive buffer is written. */
static void buffers(MPI_Comm comm, int count) {
  int* in = malloc((size_t)count * sizeof(int));
  int* out = malloc((size_t)count * sizeof(int));
  for (int root = 0; root < size_of(comm); root += 3) {
    int touched = 0;
    for (int i = 0; i < count; i++) in[i] = i + rank_in(comm);
    for (int i = 0; i < count; i++) out[i] = BLANK;
    MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
    for (int i = 0; i < count; i++) touched += in[i] != i + rank_in(comm);
    for (int i = 0; i < count && rank_in(comm) != root; i++) touched += out[i] != BLANK;
    CHECK_EQUAL(touched, 0);
  }
  free(in);
  free(out);
}

static void buffers_short(MPI_Comm comm) {
  buffers(comm, 3);
}
static void buffers_long(MPI_Comm comm) {
  buffers(comm, LONG_COUNT);
}

/* A pair type: where its index lies, and how much data and memory it is. */
static void pair(MPI_Datatype type, MPI_Datatype value, size_t index_place, size_t length,
                 MPI_Comm comm) {
  Map map = {.length = 0};
  add(&map, value, 0);
  add(&map, MPI_INT, (int)index_place);
  CHECK_EQUAL(bytes_of(type), bytes_of(value) + (int)sizeof(int));
  CHECK_EQUAL(extent_of(type), (MPI_Aint)length);
  CHECK_EQUAL(lb_of(type), 0);
  CHECK_EQUAL(wrong_map(type, 1, &map, comm), 0);
}

static void pair_layouts(MPI_Comm comm) {
#define PAIR(ctype)   \
  offsetof(           \
      struct {        \
        ctype v;      \
        int i;        \
      },              \
      i),             \
      sizeof(struct { \
        ctype v;      \
        int i;        \
      })
  pair(MPI_FLOAT_INT, MPI_FLOAT, PAIR(float), comm);
  pair(MPI_DOUBLE_INT, MPI_DOUBLE, PAIR(double), comm);
  pair(MPI_LONG_INT, MPI_LONG, PAIR(long), comm);
  pair(MPI_2INT, MPI_INT, PAIR(int), comm);
  pair(MPI_SHORT_INT, MPI_SHORT, PAIR(short), comm);
  pair(MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, PAIR(long double), comm);
#undef PAIR
}

typedef struct {
  double value;
  int index;
} DoubleInt;

/* All have the same extremes at some places: the lowest index counts, also when it is not that of
 * the lowest rank. */
static void ties(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  DoubleInt in[4] = {{1.0, me}, {1.0, size - me}, {me % 2, me}, {-me, 7}};
  DoubleInt most[4], least[4];
  MPI_Allreduce(in, most, 4, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  MPI_Allreduce(in, least, 4, MPI_DOUBLE_INT, MPI_MINLOC, comm);
  CHECK(most[0].value == 1.0 && most[0].index == 0 && least[0].value == 1.0 && least[0].index == 0);
  CHECK(most[1].index == 1 && least[1].index == 1);
  CHECK(most[2].value == (size > 1) && most[2].index == (size > 1));
  CHECK(least[2].value == 0 && least[2].index == 0);
  CHECK(most[3].value == 0 && most[3].index == 7 && least[3].value == 1 - size &&
        least[3].index == 7);
}

/* The pairs of each C type find the rank of the largest and of the smallest value. */
#define FINDS(name, ctype, handle)                                                 \
  static void name(MPI_Comm comm) {                                                \
    const int me = rank_in(comm);                                                  \
    const int size = size_of(comm);                                                \
    struct {                                                                       \
      ctype value;                                                                 \
      int index;                                                                   \
    } in = {(ctype)((me + 2) % size + 10), me}, most, least;                       \
    memset(&most, 0, sizeof most);                                                 \
    memset(&least, 0, sizeof least);                                               \
    MPI_Reduce(&in, &most, 1, handle, MPI_MAXLOC, 0, comm);                        \
    MPI_Reduce(&in, &least, 1, handle, MPI_MINLOC, 0, comm);                       \
    if (me != 0) return;                                                           \
    CHECK(most.value == (ctype)(size + 9) && most.index == (2 * size - 3) % size); \
    CHECK(least.value == (ctype)10 && least.index == (2 * size - 2) % size);       \
  }
FINDS(of_floats, float, MPI_FLOAT_INT)
FINDS(of_doubles, double, MPI_DOUBLE_INT)
FINDS(of_longs, long, MPI_LONG_INT)
FINDS(of_ints, int, MPI_2INT)
FINDS(of_shorts, short, MPI_SHORT_INT)
FINDS(of_long_doubles, long double, MPI_LONG_DOUBLE_INT)
#undef FINDS

static void pairs(MPI_Comm comm) {
  of_floats(comm);
  of_doubles(comm);
  of_longs(comm);
  of_ints(comm);
  of_shorts(comm);
  of_long_doubles(comm);
}

/* Fortran's pairs have the index in the type of the value. */
static void fortran_pairs(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  float real[2] = {(float)(me * me), (float)me}, real_most[2];
  double wide[2] = {-me, me + 100}, wide_most[2];
  int whole[2] = {me, me + 100}, whole_least[2];
  if (bytes_of(MPI_2REAL) == sizeof real) {
    MPI_Allreduce(real, real_most, 1, MPI_2REAL, MPI_MAXLOC, comm);
    CHECK(real_most[0] == (float)((size - 1) * (size - 1)) && real_most[1] == (float)(size - 1));
  }
  if (bytes_of(MPI_2DOUBLE_PRECISION) == sizeof wide) {
    MPI_Allreduce(wide, wide_most, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, comm);
    CHECK(wide_most[0] == 0 && wide_most[1] == 100);
  }
  if (bytes_of(MPI_2INTEGER) == sizeof whole) {
    MPI_Allreduce(whole, whole_least, 1, MPI_2INTEGER, MPI_MINLOC, comm);
    CHECK(whole_least[0] == 0 && whole_least[1] == 100);
  }
}

static const Case cases[] = {
    {"req 4.3.22", "the same operands give the same bits every time", ANY, same_every_time_short},
    {"req 4.3.22", "the same with long vectors", ANY, same_every_time_long},
    {"req 4.3.23", "an allreduce gives all ranks the same bits", ANY, same_everywhere},
    {"req 4.3.21", "exact sums and products do not depend on the grouping", ANY, within_reach},
    {"req 4.3.21", "the predefined operations are commutative", 1, commutative},
    {"req 4.3.24", "types that a predefined operation does not take are refused", ANY, wrong_types},
    {"req 4.3.25", "a short reduction writes nothing but the root's result", ANY, buffers_short},
    {"req 4.3.25", "a long reduction writes nothing but the root's result", ANY, buffers_long},
    {"req 4.3.28", "pairs lie in memory as the C structures do", 1, pair_layouts},
    {"req 4.3.26", "of equal values the one with the lowest index counts", ANY, ties},
    {"req 4.3.24, req 4.3.26", "pairs of every type find the rank of an extreme", ANY, pairs},
    {"req 4.3.27", "pairs of Fortran types have an index of the same type", ANY, fortran_pairs},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
