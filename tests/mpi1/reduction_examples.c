/* SPDX-License-Identifier: BSD-3-Clause
   Distributed products, extremes with their places, and two operations of the program's own. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { N = 12, PLACES = 30 };

/* The slices of a vector that is distributed over all ranks: rank r has 3 + r % 4 of it. */
static int slice_of(int rank) {
  return 3 + rank % 4;
}

static int begin_of(int rank) {
  int begin = 0;
  for (int i = 0; i < rank; i++) begin += slice_of(i);
  return begin;
}

/* Whole numbers, so that every order of the additions gives the same. */
static float vector_at(int i) {
  return (float)(i % 5 - 2);
}
static float matrix_at(int i, int j) {
  return (float)((i + 2 * j) % 7 - 3);
}

/* The local part of (vector, matrix) for every column of the matrix. */
static void local_product(int rank, float sum[N]) {
  for (int j = 0; j < N; j++) {
    sum[j] = 0;
    for (int i = begin_of(rank); i < begin_of(rank + 1); i++)
      sum[j] += vector_at(i) * matrix_at(i, j);
  }
}

static float whole_product(int size, int j) {
  float sum = 0;
  for (int i = 0; i < begin_of(size); i++) sum += vector_at(i) * matrix_at(i, j);
  return sum;
}

static void dot_product(MPI_Comm comm) {
  const int me = rank_in(comm);
  float sum = 0;
  float all = -1;
  float expected = 0;
  for (int i = begin_of(me); i < begin_of(me + 1); i++) sum += vector_at(i) * vector_at(i + 1);
  for (int i = 0; i < begin_of(size_of(comm)); i++) expected += vector_at(i) * vector_at(i + 1);
  MPI_Reduce(&sum, &all, 1, MPI_FLOAT, MPI_SUM, 0, comm);
  CHECK(all == (me == 0 ? expected : -1));
}

static void product_at_one(MPI_Comm comm) {
  float sum[N], c[N];
  local_product(rank_in(comm), sum);
  MPI_Reduce(sum, c, N, MPI_FLOAT, MPI_SUM, 0, comm);
  for (int j = 0; j < N && rank_in(comm) == 0; j++) CHECK(c[j] == whole_product(size_of(comm), j));
}

static void product_everywhere(MPI_Comm comm) {
  float sum[N], c[N];
  local_product(rank_in(comm), sum);
  MPI_Allreduce(sum, c, N, MPI_FLOAT, MPI_SUM, comm);
  for (int j = 0; j < N; j++) CHECK(c[j] == whole_product(size_of(comm), j));
}

/* The columns of rank r: as equal as can be, in another order than the slices; some may have none.
 */
static int columns_of(int rank, int size) {
  return N / size + (rank >= size - N % size);
}

static void product_distributed(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  const int mine = columns_of(me, size);
  int* counts = calloc((size_t)size, sizeof(int));
  int begin = 0;
  float sum[N], c[N + 1];
  local_product(me, sum);
  MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, comm);
  for (int i = 0; i < size; i++) CHECK_EQUAL(counts[i], columns_of(i, size));
  for (int i = 0; i < me; i++) begin += counts[i];
  c[mine] = -77;
  MPI_Reduce_scatter(sum, c, counts, MPI_FLOAT, MPI_SUM, comm);
  for (int j = 0; j < mine; j++) CHECK(c[j] == whole_product(size, begin + j));
  CHECK(c[mine] == -77);
  free(counts);
}

/* What rank has at one of thirty places; several ranks may have the same. */
static double value_at(int rank, int place) {
  return (double)((rank * 7 + place * 3) % 5) - 1.5;
}

static int first_with_most(int size, int place) {
  int best = 0;
  for (int rank = 1; rank < size; rank++) {
    if (value_at(rank, place) > value_at(best, place)) best = rank;
  }
  return best;
}

static void largest_in_structures(MPI_Comm comm) {
  const int size = size_of(comm);
  struct {
    double value;
    int rank;
  } in[PLACES], out[PLACES];
  for (int i = 0; i < PLACES; i++) {
    in[i].value = value_at(rank_in(comm), i);
    in[i].rank = rank_in(comm);
  }
  MPI_Reduce(in, out, PLACES, MPI_DOUBLE_INT, MPI_MAXLOC, size - 1, comm);
  for (int i = 0; i < PLACES && rank_in(comm) == size - 1; i++) {
    CHECK_EQUAL(out[i].rank, first_with_most(size, i));
    CHECK(out[i].value == value_at(first_with_most(size, i), i));
  }
}

/* As a Fortran program does it: the rank is a double too. */
static void largest_in_doubles(MPI_Comm comm) {
  const int size = size_of(comm);
  double in[PLACES][2], out[PLACES][2];
  for (int i = 0; i < PLACES; i++) {
    in[i][0] = value_at(rank_in(comm), i);
    in[i][1] = rank_in(comm);
  }
  MPI_Reduce(in, out, PLACES, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, 0, comm);
  for (int i = 0; i < PLACES && rank_in(comm) == 0; i++) {
    CHECK((int)out[i][1] == first_with_most(size, i));
    CHECK(out[i][0] == value_at(first_with_most(size, i), i));
  }
}

/* The smallest of all values, whose number tells the rank and the place in its array; arrays differ
 * in length. */
static void smallest_of_all(MPI_Comm comm) {
  const int size = size_of(comm);
  const int length = 20 + 3 * rank_in(comm);
  struct {
    float value;
    int index;
  } in = {1e9F, -1}, out = {0, -1};
  for (int i = 0; i < length; i++) {
    const float value = (float)((rank_in(comm) * 31 + i * 17) % 50 +
                                (rank_in(comm) == size / 2 && i == 11 ? -100 : 0));
    if (value < in.value) {
      in.value = value;
      in.index = rank_in(comm) * 1000 + i;
    }
  }
  MPI_Reduce(&in, &out, 1, MPI_FLOAT_INT, MPI_MINLOC, 0, comm);
  if (rank_in(comm) != 0) return;
  CHECK_EQUAL(out.index / 1000, size / 2);
  CHECK_EQUAL(out.index % 1000, 11);
  CHECK(out.value == (float)((size / 2 * 31 + 11 * 17) % 50 - 100));
}

typedef struct {
  double real, imaginary;
} Complex;

static Complex complex_product(Complex a, Complex b) {
  const Complex product = {a.real * b.real - a.imaginary * b.imaginary,
                           a.real * b.imaginary + a.imaginary * b.real};
  return product;
}

static void multiply_complex(void* in, void* inout, int* length, MPI_Datatype* type) {
  const Complex* a = in;
  Complex* b = inout;
  (void)type;
  for (int i = 0; i < *length; i++) b[i] = complex_product(a[i], b[i]);
}

static Complex complex_of(int rank, int i) {
  const Complex one = {1 + (rank + i) % 3, i % 2 - rank % 2};
  return one;
}

static void complex_products(MPI_Comm comm) {
  enum { COUNT = 100 };
  Complex a[COUNT], answer[COUNT];
  MPI_Datatype type;
  MPI_Op op;
  for (int i = 0; i < COUNT; i++) a[i] = complex_of(rank_in(comm), i);
  MPI_Type_contiguous(2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply_complex, 1, &op);
  MPI_Reduce(a, answer, COUNT, type, op, 0, comm);
  for (int i = 0; i < COUNT && rank_in(comm) == 0; i++) {
    Complex expected = complex_of(0, i);
    for (int rank = 1; rank < size_of(comm); rank++)
      expected = complex_product(expected, complex_of(rank, i));
    CHECK(answer[i].real == expected.real && answer[i].imaginary == expected.imaginary);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/* A run of ranks: the sum of its last segment, the flags at its ends, and whether it is a single
   segment. The book's pair knows only the last flag, which makes its operation depend on the
   grouping; with both ends it does not. */
typedef struct {
  double sum;
  int first, last, single;
} Segments;

static void join_segments(void* in, void* inout, int* length, MPI_Datatype* type) {
  const Segments* left = in;
  Segments* right = inout;
  (void)type;
  for (int i = 0; i < *length; i++) {
    const int continues = left[i].last == right[i].first;
    if (continues && right[i].single) right[i].sum += left[i].sum;
    right[i].single = right[i].single && continues && left[i].single;
    right[i].first = left[i].first;
  }
}

static MPI_Datatype segments_type(Segments* one) {
  int lengths[2] = {1, 3};
  MPI_Aint places[2];
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype type;
  MPI_Address(one, &places[0]);
  MPI_Address(&one->first, &places[1]);
  for (int i = 1; i >= 0; i--) places[i] -= places[0];
  MPI_Type_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  return type;
}

/* The sum from the begin of the rank's segment up to it. */
static double segment_sum(const int flags[8], int rank) {
  double sum = 0;
  int begin = rank;
  while (begin > 0 && flags[(begin - 1) % 8] == flags[rank % 8]) begin--;
  for (int i = begin; i <= rank; i++) sum += 1 << i % 20;
  return sum;
}

static void segmented_scan(MPI_Comm comm) {
  static const int flags[8] = {0, 0, 1, 1, 1, 0, 0, 1};
  const int me = rank_in(comm);
  Segments mine = {1 << me % 20, flags[me % 8], flags[me % 8], 1};
  Segments answer = {0, -1, -1, -1};
  MPI_Datatype type = segments_type(&mine);
  MPI_Op op;
  MPI_Op_create(join_segments, 0, &op);
  MPI_Scan(&mine, &answer, 1, type, op, comm);
  CHECK(answer.sum == segment_sum(flags, me));
  CHECK(answer.first == flags[0] && answer.last == flags[me % 8] && answer.single == (me < 2));
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

static const Case cases[] = {
    {"ex 4.15", "the dot product of two distributed vectors, at rank 0", ANY, dot_product},
    {"ex 4.16", "the product of a distributed vector and matrix, at rank 0", ANY, product_at_one},
    {"ex 4.20, req 4.3.23", "the product of a distributed vector and matrix, everywhere", ANY,
     product_everywhere},
    {"ex 4.21, req 4.3.30", "the product of a distributed vector and matrix, distributed", ANY,
     product_distributed},
    {"ex 4.17, req 4.3.26", "the largest of each of thirty doubles, and who has it", ANY,
     largest_in_structures},
    {"ex 4.18, req 4.3.27", "the same in pairs of doubles", ANY, largest_in_doubles},
    {"ex 4.19, req 4.3.26", "the smallest of all values, and where it is", ANY, smallest_of_all},
    {"ex 4.22", "the product of complex numbers, element by element", ANY, complex_products},
    {"ex 4.23, req 4.3.33, req 4.3.36, req errata 1.8, 3.14",
     "sums that begin anew where a flag changes", ANY, segmented_scan},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
