/* SPDX-License-Identifier: BSD-3-Clause
   Every predefined operation on every type it takes, in every kind of reduction. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { COUNT = 7, LONG_COUNT = 70000, BLANK = -99 };

typedef long long (*Fold)(long long, long long);

static long long larger(long long a, long long b) {
  return a > b ? a : b;
}
static long long smaller(long long a, long long b) {
  return a < b ? a : b;
}
static long long sum(long long a, long long b) {
  return a + b;
}
static long long product(long long a, long long b) {
  return a * b;
}
static long long logical_and(long long a, long long b) {
  return a && b;
}
static long long logical_or(long long a, long long b) {
  return a || b;
}
static long long logical_xor(long long a, long long b) {
  return !a != !b;
}
static long long bit_and(long long a, long long b) {
  return a & b;
}
static long long bit_or(long long a, long long b) {
  return a | b;
}
static long long bit_xor(long long a, long long b) {
  return a ^ b;
}

typedef struct {
  MPI_Op op;
  Fold fold;
  int logical;
} Operation;

static const Operation operations[10] = {
    {MPI_MAX, larger, 0},       {MPI_MIN, smaller, 0},      {MPI_SUM, sum, 0},
    {MPI_PROD, product, 0},     {MPI_LAND, logical_and, 1}, {MPI_LOR, logical_or, 1},
    {MPI_LXOR, logical_xor, 1}, {MPI_BAND, bit_and, 0},     {MPI_BOR, bit_or, 0},
    {MPI_BXOR, bit_xor, 0},
};

static void put(MPI_Datatype type, void* data, int i, long long value) {
  if (type == MPI_SHORT) ((short*)data)[i] = (short)value;
  if (type == MPI_UNSIGNED_SHORT) ((unsigned short*)data)[i] = (unsigned short)value;
  if (type == MPI_INT) ((int*)data)[i] = (int)value;
  if (type == MPI_UNSIGNED) ((unsigned*)data)[i] = (unsigned)value;
  if (type == MPI_LONG) ((long*)data)[i] = (long)value;
  if (type == MPI_UNSIGNED_LONG) ((unsigned long*)data)[i] = (unsigned long)value;
  if (type == MPI_LONG_LONG) ((long long*)data)[i] = value;
  if (type == MPI_FLOAT) ((float*)data)[i] = (float)value;
  if (type == MPI_DOUBLE) ((double*)data)[i] = (double)value;
  if (type == MPI_LONG_DOUBLE) ((long double*)data)[i] = (long double)value;
  if (type == MPI_CHAR) ((char*)data)[i] = (char)value;
  if (type == MPI_BYTE) ((unsigned char*)data)[i] = (unsigned char)value;
}

static long long get(MPI_Datatype type, const void* data, int i) {
  if (type == MPI_SHORT) return ((const short*)data)[i];
  if (type == MPI_UNSIGNED_SHORT) return ((const unsigned short*)data)[i];
  if (type == MPI_INT) return ((const int*)data)[i];
  if (type == MPI_UNSIGNED) return ((const unsigned*)data)[i];
  if (type == MPI_LONG) return ((const long*)data)[i];
  if (type == MPI_UNSIGNED_LONG) return (long long)((const unsigned long*)data)[i];
  if (type == MPI_LONG_LONG) return ((const long long*)data)[i];
  if (type == MPI_FLOAT) return (long long)((const float*)data)[i];
  if (type == MPI_DOUBLE) return (long long)((const double*)data)[i];
  if (type == MPI_LONG_DOUBLE) return (long long)((const long double*)data)[i];
  if (type == MPI_CHAR) return ((const char*)data)[i];
  return ((const unsigned char*)data)[i];
}

/* What rank has at place i: small, of all bit patterns, sometimes 0 where that is not a product. */
static long long operand(const Operation* operation, int rank, int i) {
  const int mixed = rank * 5 + i * 3;
  if (operation->op == MPI_PROD) return 1 + mixed % 3;
  return operation->logical ? (mixed % 3 == 0) * (1 + mixed) : mixed % 8;
}

/* Over ranks 0 .. last. */
static long long expected(const Operation* operation, int last, int i) {
  long long result = operand(operation, 0, i);
  for (int rank = 1; rank <= last; rank++)
    result = operation->fold(result, operand(operation, rank, i));
  return operation->logical ? result != 0 : result;
}

static int wrong(MPI_Datatype type, const void* data, const Operation* operation, int last) {
  int found = 0;
  for (int i = 0; i < COUNT; i++) {
    const long long is = get(type, data, i);
    found += (operation->logical ? is != 0 : is) != expected(operation, last, i);
  }
  return found;
}

/* One operation on one type, as reduce to each root, allreduce and scan. A logical scan of one
 * operand may leave it. */
static int wrong_results(MPI_Comm comm, MPI_Datatype type, const Operation* operation) {
  long double in[COUNT], out[COUNT];
  const int me = rank_in(comm);
  const int last = size_of(comm) - 1;
  int found = 0;
  for (int i = 0; i < COUNT; i++) put(type, in, i, operand(operation, me, i));
  for (int root = 0; root <= last; root += 2) {
    memset(out, 0, sizeof out);
    MPI_Reduce(in, out, COUNT, type, operation->op, root, comm);
    if (me == root) found += wrong(type, out, operation, last);
  }
  memset(out, 0, sizeof out);
  MPI_Allreduce(in, out, COUNT, type, operation->op, comm);
  found += wrong(type, out, operation, last);
  memset(out, 0, sizeof out);
  MPI_Scan(in, out, COUNT, type, operation->op, comm);
  found += wrong(type, out, operation, me);
  return found;
}

static void integers(MPI_Comm comm) {
  const MPI_Datatype types[] = {MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,      MPI_UNSIGNED,
                                MPI_LONG,  MPI_UNSIGNED_LONG,  MPI_LONG_LONG};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    for (int o = 0; o < 10; o++) CHECK_EQUAL(wrong_results(comm, types[t], &operations[o]), 0);
  }
}

static void floating(MPI_Comm comm) {
  const MPI_Datatype types[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE};
  for (int t = 0; t < 3; t++) {
    for (int o = 0; o < 4; o++) CHECK_EQUAL(wrong_results(comm, types[t], &operations[o]), 0);
  }
}

static void bytes(MPI_Comm comm) {
  for (int o = 7; o < 10; o++) CHECK_EQUAL(wrong_results(comm, MPI_BYTE, &operations[o]), 0);
}

/* MPI_CHAR is reduced as C's type char, as other implementations do. */
static void characters(MPI_Comm comm) {
  for (int o = 0; o < 10; o++) {
    if (operations[o].op != MPI_PROD) /* soon too large for a char */
      CHECK_EQUAL(wrong_results(comm, MPI_CHAR, &operations[o]), 0);
  }
  char high = rank_in(comm) == 0 ? (char)0x80 : 1, factor = 3, product = 0, least = 0;
  MPI_Allreduce(&high, &least, 1, MPI_CHAR, MPI_MIN, comm);
  const char expected_least = size_of(comm) == 1 || (char)0x80 < 1 ? (char)0x80 : 1;
  CHECK_EQUAL(least, expected_least);
  MPI_Allreduce(&factor, &product, 1, MPI_CHAR, MPI_PROD, comm);
  unsigned power = 1;
  for (int i = 0; i < size_of(comm); i++) power *= 3;
  CHECK_EQUAL((unsigned char)product, (unsigned char)power);
}

/* Values that only the right sign and width give. */
static void extremes(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int last = size_of(comm) - 1;
  int number = me - 3;
  unsigned natural = me == last ? 0xfffffff0U : 5U;
  double real = -1.5 - me;
  int least = 0;
  unsigned most = 0;
  double greatest = 0;
  signed char small[2] = {(signed char)(-100 - me), 1}, small_most[2] = {0, 0};
  unsigned char tiny = (unsigned char)(200 + me), tiny_least = 0;
  MPI_Allreduce(&number, &least, 1, MPI_INT, MPI_MIN, comm);
  MPI_Allreduce(&natural, &most, 1, MPI_UNSIGNED, MPI_MAX, comm);
  MPI_Allreduce(&real, &greatest, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(small, small_most, 2, MPI_SIGNED_CHAR, MPI_MAX, comm);
  MPI_Allreduce(&tiny, &tiny_least, 1, MPI_UNSIGNED_CHAR, MPI_MIN, comm);
  CHECK(small_most[0] == -100 && small_most[1] == 1 && tiny_least == 200);
  CHECK_EQUAL(least, -3);
  CHECK_EQUAL(most, 0xfffffff0U);
  CHECK(greatest == -1.5);
}

/* Element by element, over any length, and nothing behind the last one. */
static void long_vectors(MPI_Comm comm) {
  const int counts[4] = {1, 1000, 20001, LONG_COUNT};
  const int me = rank_in(comm);
  const int size = size_of(comm);
  int* in = malloc(LONG_COUNT * sizeof(int));
  int* out = malloc((LONG_COUNT + 1) * sizeof(int));
  for (int i = 0; i < LONG_COUNT; i++) in[i] = i + me;
  for (int k = 0; k < 4; k++) {
    int found = 0;
    for (int i = 0; i <= LONG_COUNT; i++) out[i] = BLANK;
    MPI_Reduce(in, out, counts[k], MPI_INT, MPI_SUM, size - 1, comm);
    for (int i = 0; i < counts[k] && me == size - 1; i++)
      found += out[i] != size * i + size * (size - 1) / 2;
    for (int i = 0; i < LONG_COUNT + 1; i++)
      found += out[i] != BLANK && (me != size - 1 || i >= counts[k]);
    MPI_Allreduce(in, out, counts[k], MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < counts[k]; i++) found += out[i] != size * i + size * (size - 1) / 2;
    MPI_Scan(in, out, counts[k], MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < counts[k]; i++) found += out[i] != (me + 1) * i + me * (me + 1) / 2;
    found += out[counts[k]] != BLANK;
    CHECK_EQUAL(found, 0);
  }
  free(in);
  free(out);
}

/* Rank i gets counts[i] elements; some ranks get none. The same as a reduction and a scatter. */
static void reduce_scatter(MPI_Comm comm, int unit) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  int* counts = malloc((size_t)size * sizeof(int));
  int* places = malloc((size_t)size * sizeof(int));
  int total = 0;
  int found = 0;
  for (int i = 0; i < size; i++) {
    counts[i] = (i + 2) % 3 * unit;
    places[i] = total;
    total += counts[i];
  }
  int* in = malloc((size_t)(total + 1) * sizeof(int));
  int* whole = malloc((size_t)(total + 1) * sizeof(int));
  int* part = malloc((size_t)(counts[me] + 1) * sizeof(int));
  int* same = malloc((size_t)(counts[me] + 1) * sizeof(int));
  for (int i = 0; i < total; i++) in[i] = 10 * i + me;
  part[counts[me]] = BLANK;
  MPI_Reduce_scatter(in, part, counts, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < counts[me]; i++)
    found += part[i] != size * 10 * (places[me] + i) + size * (size - 1) / 2;
  found += part[counts[me]] != BLANK;
  MPI_Reduce(in, whole, total, MPI_INT, MPI_SUM, 0, comm);
  MPI_Scatterv(whole, counts, places, MPI_INT, same, counts[me], MPI_INT, 0, comm);
  found += memcmp(part, same, (size_t)counts[me] * sizeof(int)) != 0;
  for (int i = 0; i < total; i++) found += in[i] != 10 * i + me;
  CHECK_EQUAL(found, 0);
  free(counts);
  free(places);
  free(in);
  free(whole);
  free(part);
  free(same);
}

static void reduce_scatter_short(MPI_Comm comm) {
  reduce_scatter(comm, 1);
}
static void reduce_scatter_long(MPI_Comm comm) {
  reduce_scatter(comm, 40000);
}

/* Rank i has the ranks up to its own in its result, and no others. */
static void scan_is_inclusive(MPI_Comm comm) {
  const int me = rank_in(comm);
  unsigned mine = 1U << (me % 32);
  unsigned all = 0;
  unsigned upto = 0;
  for (int i = 0; i <= me; i++) upto |= 1U << (i % 32);
  MPI_Scan(&mine, &all, 1, MPI_UNSIGNED, MPI_BOR, comm);
  CHECK_EQUAL(all, upto);
  CHECK_EQUAL(mine, 1U << (me % 32));
}

static void nothing_to_reduce(MPI_Comm comm) {
  int in = 1;
  int out = BLANK;
  int* counts = calloc((size_t)size_of(comm), sizeof(int));
  MPI_Reduce(&in, &out, 0, MPI_INT, MPI_SUM, 0, comm);
  MPI_Allreduce(&in, &out, 0, MPI_INT, MPI_SUM, comm);
  MPI_Scan(&in, &out, 0, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter(&in, &out, counts, MPI_INT, MPI_SUM, comm);
  CHECK(in == 1 && out == BLANK);
  free(counts);
}

static const Case cases[] = {
    {"req 4.3.20, req 4.3.24, req 4.3.31", "all operations on C integers", ANY, integers},
    {"req 4.3.20, req 4.3.24, req 4.3.31",
     "maximum, minimum, sum and product of floating-point numbers", ANY, floating},
    {"req 4.3.24", "bit operations on bytes", ANY, bytes},
    {"req 4.3.24", "MPI_CHAR is the type char of C", ANY, characters},
    {"req 4.3.20, req 4.3.24", "sign and width of the type decide", ANY, extremes},
    {"req 4.3.20, req 4.3.25, req 4.3.31", "vectors of any length, element by element", ANY,
     long_vectors},
    {"req 4.3.30", "parts of unlike length go to their ranks, some of none", ANY,
     reduce_scatter_short},
    {"req 4.3.30", "long parts of unlike length go to their ranks", ANY, reduce_scatter_long},
    {"req 4.3.31", "a scan includes the own rank and those below", ANY, scan_is_inclusive},
    {"req 4.3.20", "a count of 0 reduces nothing", ANY, nothing_to_reduce},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
