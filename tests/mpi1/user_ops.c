/* SPDX-License-Identifier: BSD-3-Clause
   Operations of the program's own: operands in the order of ranks, any type, any length, any root.
 */
#include "type_map.h"

enum { LONG_COUNT = 20000, MODULUS = 9973 };

/* 2 by 2 matrices, whose product depends on the order of the factors. */
typedef struct {
  int a, b, c, d;
} Matrix;

static Matrix times(Matrix x, Matrix y) {
  const Matrix product = {(x.a * y.a + x.b * y.c) % MODULUS, (x.a * y.b + x.b * y.d) % MODULUS,
                          (x.c * y.a + x.d * y.c) % MODULUS, (x.c * y.b + x.d * y.d) % MODULUS};
  return product;
}

static Matrix factor(int rank, int i) {
  const Matrix one = {1 + rank, 2 + i % 7, 3, 5 + rank * rank + i % 3};
  return one;
}

/* The product of the factors of ranks 0 .. last. */
static Matrix product_upto(int last, int i) {
  Matrix product = factor(0, i);
  for (int rank = 1; rank <= last; rank++) product = times(product, factor(rank, i));
  return product;
}

static int wrong_products(const Matrix* is, int count, int first, int last) {
  int wrong = 0;
  for (int i = 0; i < count; i++) {
    const Matrix expected = product_upto(last, first + i);
    wrong += memcmp(&is[i], &expected, sizeof expected) != 0;
  }
  return wrong;
}

static struct {
  MPI_Datatype expected;
  int wrong_type, wrong_length, calls;
} seen;

static void start_watching(MPI_Datatype type) {
  memset(&seen, 0, sizeof seen);
  seen.expected = type;
}

static void watch(const int* length, const MPI_Datatype* type) {
  seen.calls++;
  seen.wrong_type += *type != seen.expected;
  seen.wrong_length += *length < 1;
}

static void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  const Matrix* left = in;
  Matrix* right = inout;
  watch(length, type);
  for (int i = 0; i < *length; i++) right[i] = times(left[i], right[i]);
}

static MPI_Datatype matrix_type(void) {
  MPI_Datatype type;
  MPI_Type_contiguous(4, MPI_INT, &type);
  return committed(type);
}

static Matrix* factors(MPI_Comm comm, int count) {
  Matrix* data = malloc((size_t)count * sizeof *data);
  for (int i = 0; i < count; i++) data[i] = factor(rank_in(comm), i);
  return data;
}

static int wrong_factors(const Matrix* is, int count, int rank) {
  int wrong = 0;
  for (int i = 0; i < count; i++) {
    const Matrix expected = factor(rank, i);
    wrong += memcmp(&is[i], &expected, sizeof expected) != 0;
  }
  return wrong;
}

/* Every reduction keeps the order of ranks, from rank 0 on, whichever rank is the root. */
static void in_rank_order(MPI_Comm comm, int count) {
  const int last = size_of(comm) - 1;
  const int me = rank_in(comm);
  MPI_Datatype type = matrix_type();
  Matrix* in = factors(comm, count);
  Matrix* out = calloc((size_t)count, sizeof *out);
  MPI_Op op;
  MPI_Op_create(multiply, 0, &op);
  start_watching(type);
  for (int root = 0; root <= last; root++) {
    MPI_Reduce(in, out, count, type, op, root, comm);
    if (me == root) CHECK_EQUAL(wrong_products(out, count, 0, last), 0);
  }
  MPI_Allreduce(in, out, count, type, op, comm);
  CHECK_EQUAL(wrong_products(out, count, 0, last), 0);
  MPI_Scan(in, out, count, type, op, comm);
  CHECK_EQUAL(wrong_products(out, count, 0, me), 0);
  CHECK_EQUAL(wrong_factors(in, count, me), 0);
  CHECK(seen.wrong_type == 0 && seen.wrong_length == 0);
  CHECK(seen.calls > 0 || me == 0 || last == 0);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  free(in);
  free(out);
}

static void in_rank_order_short(MPI_Comm comm) {
  in_rank_order(comm, 2);
}
static void in_rank_order_long(MPI_Comm comm) {
  in_rank_order(comm, LONG_COUNT);
}

static void scattered_in_rank_order(MPI_Comm comm) {
  const int size = size_of(comm);
  const int me = rank_in(comm);
  MPI_Datatype type = matrix_type();
  int* counts = malloc((size_t)size * sizeof(int));
  int total = 0;
  int mine_from = 0;
  MPI_Op op;
  for (int i = 0; i < size; i++) {
    counts[i] = 3 + i % 2;
    if (i == me) mine_from = total;
    total += counts[i];
  }
  Matrix* in = factors(comm, total);
  Matrix out[4];
  MPI_Op_create(multiply, 0, &op);
  start_watching(type);
  MPI_Reduce_scatter(in, out, counts, type, op, comm);
  CHECK_EQUAL(wrong_products(out, counts[me], mine_from, size - 1), 0);
  CHECK(seen.wrong_type == 0 && seen.wrong_length == 0);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  free(counts);
  free(in);
}

/* The left operand is that of the lower rank, the right one takes the result. */
static void keep_left(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  memcpy(inout, in, (size_t)*length * sizeof(int));
}

static void keep_right(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in;
  (void)inout;
  (void)length;
  (void)type;
}

static void left_and_right(MPI_Comm comm) {
  const int size = size_of(comm);
  int mine[3] = {rank_in(comm), rank_in(comm) + 100, -rank_in(comm)};
  int got[3] = {-1, -1, -1};
  MPI_Op left, right;
  MPI_Op_create(keep_left, 0, &left);
  MPI_Op_create(keep_right, 0, &right);
  MPI_Allreduce(mine, got, 3, MPI_INT, left, comm);
  CHECK(got[0] == 0 && got[1] == 100 && got[2] == 0);
  MPI_Allreduce(mine, got, 3, MPI_INT, right, comm);
  CHECK(got[0] == size - 1 && got[1] == size + 99 && got[2] == 1 - size);
  MPI_Scan(mine, got, 3, MPI_INT, left, comm);
  CHECK(got[0] == 0 && got[1] == 100 && got[2] == 0);
  MPI_Scan(mine, got, 3, MPI_INT, right, comm);
  CHECK(memcmp(mine, got, sizeof got) == 0);
  MPI_Op_free(&left);
  MPI_Op_free(&right);
}

/* An element with gaps: an int below its origin, a short above it, 48 bytes from one to the next.
 */
enum { STEP = 48, INT_AT = -16, SHORT_AT = 12 };

static MPI_Datatype gapped_type(void) {
  int lengths[4] = {1, 1, 1, 1};
  MPI_Aint places[4] = {SHORT_AT, INT_AT, -20, STEP - 20};
  MPI_Datatype types[4] = {MPI_SHORT, MPI_INT, MPI_LB, MPI_UB};
  MPI_Datatype type;
  MPI_Type_struct(4, lengths, places, types, &type);
  return committed(type);
}

static void set(char* origin, int number, short tail) {
  memcpy(origin + INT_AT, &number, sizeof number);
  memcpy(origin + SHORT_AT, &tail, sizeof tail);
}

static int int_of(const char* origin) {
  int number;
  memcpy(&number, origin + INT_AT, sizeof number);
  return number;
}

static short short_of(const char* origin) {
  short tail;
  memcpy(&tail, origin + SHORT_AT, sizeof tail);
  return tail;
}

/* The sum of the ints, and the short of the higher rank. */
static void add_gapped(void* in, void* inout, int* length, MPI_Datatype* type) {
  watch(length, type);
  for (int i = 0; i < *length; i++) {
    const char* left = (const char*)in + (MPI_Aint)i * STEP;
    char* right = (char*)inout + (MPI_Aint)i * STEP;
    set(right, int_of(left) + int_of(right), short_of(right));
  }
}

static int wrong_gapped(const char* out, int count, int last) {
  char* expected = malloc((size_t)(count + 2) * STEP);
  int wrong;
  memset(expected, 0x77, (size_t)(count + 2) * STEP);
  for (int i = 0; i < count; i++) {
    set(expected + (MPI_Aint)(i + 1) * STEP, (last + 1) * i + last * (last + 1) / 2,
        (short)(last + i % 100));
  }
  wrong = memcmp(expected, out, (size_t)(count + 2) * STEP) != 0;
  free(expected);
  return wrong;
}

/* Elements with gaps are reduced like others; the gaps of the result are not written. */
static void with_gaps(MPI_Comm comm, int count) {
  const size_t room = (size_t)(count + 2) * STEP;
  const int me = rank_in(comm);
  const int last = size_of(comm) - 1;
  char* in = malloc(room);
  char* out = malloc(room);
  MPI_Datatype type = gapped_type();
  MPI_Op op;
  MPI_Op_create(add_gapped, 0, &op);
  start_watching(type);
  memset(in, 0x11, room);
  for (int i = 0; i < count; i++) set(in + (MPI_Aint)(i + 1) * STEP, i + me, (short)(me + i % 100));
  memset(out, 0x77, room);
  MPI_Reduce(in + STEP, out + STEP, count, type, op, last, comm);
  if (me == last) CHECK_EQUAL(wrong_gapped(out, count, last), 0);
  memset(out, 0x77, room);
  MPI_Allreduce(in + STEP, out + STEP, count, type, op, comm);
  CHECK_EQUAL(wrong_gapped(out, count, last), 0);
  memset(out, 0x77, room);
  MPI_Scan(in + STEP, out + STEP, count, type, op, comm);
  CHECK_EQUAL(wrong_gapped(out, count, me), 0);
  CHECK(seen.wrong_type == 0 && seen.wrong_length == 0);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  free(in);
  free(out);
}

static void with_gaps_short(MPI_Comm comm) {
  with_gaps(comm, 3);
}
static void with_gaps_long(MPI_Comm comm) {
  with_gaps(comm, LONG_COUNT);
}

static void free_and_null(MPI_Comm comm) {
  const MPI_Op predefined[4] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_MINLOC};
  MPI_Op op, null = MPI_OP_NULL;
  types_handled_by(MPI_ERRORS_RETURN);
  MPI_Op_create(keep_left, 0, &op);
  CHECK_CLASS(MPI_Op_free(&op), MPI_SUCCESS);
  CHECK(op == MPI_OP_NULL);
  for (int i = 0; i < 4; i++) {
    op = predefined[i];
    CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    CHECK(op == predefined[i]);
  }
  CHECK_CLASS(MPI_Op_free(&null), MPI_ERR_OP);
  types_handled_by(MPI_ERRORS_ARE_FATAL);
  int one = 1;
  int all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQUAL(all, size_of(comm));
}

/* An operation and a type freed while a reduction that uses them is under way. */
static void freed_while_pending(MPI_Comm comm) {
  const int last = size_of(comm) - 1;
  MPI_Datatype type = matrix_type();
  Matrix* in = factors(comm, LONG_COUNT);
  Matrix* out = calloc(LONG_COUNT, sizeof *out);
  MPI_Op op, filler;
  MPI_Request request;
  MPI_Op_create(multiply, 0, &op);
  start_watching(type);
  MPI_Iallreduce(in, out, LONG_COUNT, type, op, comm, &request);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Op_create(keep_left, 1, &filler); /* may take the place of the freed one */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQUAL(wrong_products(out, LONG_COUNT, 0, last), 0);
  MPI_Op_free(&filler);
  free(in);
  free(out);
}

/* One operation, which tells by the type what to add. */
static void add_either(void* in, void* inout, int* length, MPI_Datatype* type) {
  for (int i = 0; i < *length; i++) {
    if (*type == MPI_INT) ((int*)inout)[i] += ((const int*)in)[i];
    if (*type == MPI_DOUBLE) ((double*)inout)[i] += ((const double*)in)[i];
  }
}

static void overloaded(MPI_Comm comm) {
  const int size = size_of(comm);
  int whole[2] = {rank_in(comm), 1};
  int whole_sum[2] = {0, 0};
  double real[2] = {0.5, -1.5};
  double real_sum[2] = {0, 0};
  MPI_Op op;
  MPI_Op_create(add_either, 1, &op);
  for (int round = 0; round < 3; round++) {
    MPI_Allreduce(whole, whole_sum, 2, MPI_INT, op, comm);
    MPI_Allreduce(real, real_sum, 2, MPI_DOUBLE, op, comm);
    CHECK(whole_sum[0] == size * (size - 1) / 2 && whole_sum[1] == size);
    CHECK(real_sum[0] == 0.5 * size && real_sum[1] == -1.5 * size);
  }
  MPI_Op_free(&op);
}

static const Case cases[] = {
    {"req 4.3.32, req 4.3.33, req 4.3.21, req 4.3.34, req 4.3.35",
     "operands keep the order of ranks, for every root", ANY, in_rank_order_short},
    {"req 4.3.33, req 4.3.34, req 4.3.35", "the same with long vectors", ANY, in_rank_order_long},
    {"req 4.3.33, req 4.3.30", "a scattered reduction keeps the order of ranks", ANY,
     scattered_in_rank_order},
    {"req 4.3.32", "the first argument is the left operand", ANY, left_and_right},
    {"req 4.3.36, req 4.3.34, req 4.3.35", "types with gaps and a negative bound are reduced", ANY,
     with_gaps_short},
    {"req 4.3.36", "the same with long vectors", ANY, with_gaps_long},
    {"req 4.3.38", "an operation is freed, predefined ones are not", ANY, free_and_null},
    {"req 4.3.38", "an operation freed while in use serves to the end", ANY, freed_while_pending},
    {"req 4.3.39", "one operation serves several types", ANY, overloaded},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
