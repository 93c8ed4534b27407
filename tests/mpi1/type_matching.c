/* SPDX-License-Identifier: BSD-3-Clause
   Type matching, and the first examples: typed messages arrive bit by bit, bytes and packed data
   describe anything. */
#include <float.h>
#include <limits.h>
#include <math.h>

#include "messages.h"

/* Sends `count` values of a type round to the next process, and compares their bytes. */
static void same_bits(const void* values, int count, size_t bytes, MPI_Datatype type,
                      MPI_Comm comm) {
  unsigned char got[256];
  const int me = rank_in(comm);
  const int n = size_of(comm);
  MPI_Status status = odd_status();
  blank(got, (int)sizeof got);
  MPI_Sendrecv(values, count, type, (me + 1) % n, 5, got, count, type, (me + n - 1) % n, 5, comm,
               &status);
  CHECK_EQUAL(count_of(&status, type), count);
  CHECK(memcmp(got, values, bytes) == 0);
  CHECK(untouched(got + bytes, (int)(sizeof got - bytes)));
}
#define SAME_BITS(values, type) \
  same_bits(values, (int)(sizeof values / sizeof values[0]), sizeof values, type, comm)

static void integers(MPI_Comm comm) {
  const char chars[] = {'a', CHAR_MIN, CHAR_MAX, 0};
  const short shorts[] = {SHRT_MIN, SHRT_MAX, -1};
  const int ints[] = {INT_MIN, INT_MAX, -1};
  const long longs[] = {LONG_MIN, LONG_MAX, -1};
  const long long long_longs[] = {LLONG_MIN, LLONG_MAX, -1};
  const unsigned char bytes[] = {0, UCHAR_MAX, 'z'};
  const unsigned short unsigned_shorts[] = {0, USHRT_MAX, 1};
  const unsigned unsigneds[] = {0, UINT_MAX, 1};
  const unsigned long unsigned_longs[] = {0, ULONG_MAX, 1};
  SAME_BITS(chars, MPI_CHAR);
  SAME_BITS(shorts, MPI_SHORT);
  SAME_BITS(ints, MPI_INT);
  SAME_BITS(longs, MPI_LONG);
  SAME_BITS(long_longs, MPI_LONG_LONG);
  SAME_BITS(bytes, MPI_UNSIGNED_CHAR);
  SAME_BITS(unsigned_shorts, MPI_UNSIGNED_SHORT);
  SAME_BITS(unsigneds, MPI_UNSIGNED);
  SAME_BITS(unsigned_longs, MPI_UNSIGNED_LONG);
  SAME_BITS(bytes, MPI_BYTE);
}

/* Minus zero, the smallest, the largest, infinity and a NaN with a payload: no value is touched. */
static void floating_point(MPI_Comm comm) {
  float floats[] = {-0.0F, FLT_MIN / 4, FLT_MAX, INFINITY, 0};
  double doubles[] = {-0.0, DBL_MIN / 4, DBL_MAX, -INFINITY, 0};
  static const long double long_doubles[] = {
      -1.5L, LDBL_MAX}; /* static: the same in the bytes without meaning */
  const unsigned nan_bits = 0x7fa12345U;
  const unsigned long long wide_nan_bits = 0x7ff4123456789abcULL;
  memcpy(&floats[4], &nan_bits, sizeof nan_bits);
  memcpy(&doubles[4], &wide_nan_bits, sizeof wide_nan_bits);
  SAME_BITS(floats, MPI_FLOAT);
  SAME_BITS(doubles, MPI_DOUBLE);
  SAME_BITS(long_doubles, MPI_LONG_DOUBLE);
}

/* Signatures match, not layouts: every second int is sent, a dense array received; and a struct, as
 * bytes of its parts. */
static void signatures(MPI_Comm comm) {
  const int me = rank_in(comm);
  int spread[8] = {0, -1, 1, -1, 2, -1, 3, -1};
  int dense[4] = {9, 9, 9, 9};
  MPI_Datatype every_second;
  MPI_Request request;
  MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Isend(spread, 1, every_second, me, 5, comm, &request);
  MPI_Recv(dense, 4, MPI_INT, me, 5, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(dense[0] == 0 && dense[1] == 1 && dense[2] == 2 && dense[3] == 3);
  for (int i = 0; i < 4; ++i) dense[i] = 10 + i;
  MPI_Isend(dense, 4, MPI_INT, me, 6, comm, &request);
  MPI_Recv(spread, 1, every_second, me, 6, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i) CHECK(spread[2 * i] == 10 + i && spread[2 * i + 1] == -1);
  MPI_Type_free(&every_second);
}

/* MPI_PACKED goes with every type, on either side. */
static void packed_matches_anything(MPI_Comm comm) {
  const int me = rank_in(comm);
  const double numbers[2] = {1.5, -2.5};
  double got[2] = {0, 0};
  char packed[64];
  int at = 0;
  MPI_Status status = odd_status();
  MPI_Sendrecv(numbers, 2, MPI_DOUBLE, me, 5, packed, (int)sizeof packed, MPI_PACKED, me, 5, comm,
               &status);
  MPI_Unpack(packed, count_of(&status, MPI_PACKED), &at, got, 2, MPI_DOUBLE, comm);
  CHECK(got[0] == 1.5 && got[1] == -2.5);
  at = 0;
  got[0] = got[1] = 0;
  MPI_Pack(numbers, 2, MPI_DOUBLE, packed, (int)sizeof packed, &at, comm);
  MPI_Sendrecv(packed, at, MPI_PACKED, me, 5, got, 2, MPI_DOUBLE, me, 5, comm, &status);
  CHECK_EQUAL(count_of(&status, MPI_DOUBLE), 2);
  CHECK(got[0] == 1.5 && got[1] == -2.5);
}

/* "Hello there" with its final zero, into a buffer that is larger. */
static void hello_there(MPI_Comm comm) {
  char message[20];
  MPI_Status status = odd_status();
  blank(message, 20);
  if (rank_in(comm) == 0) {
    strcpy(message, "Hello there");
    MPI_Send(message, (int)strlen(message) + 1, MPI_CHAR, 1, 99, comm);
    return;
  }
  MPI_Recv(message, 20, MPI_CHAR, 0, 99, comm, &status);
  CHECK(strcmp(message, "Hello there") == 0);
  CHECK_STATUS(status, 0, 99, 12);
  CHECK_EQUAL(count_of(&status, MPI_CHAR), 12);
  CHECK(untouched(message + 12, 8));
}

/* The same without the zero: a string that is blank behind its text. */
static void hello_there_of_fixed_length(MPI_Comm comm) {
  char message[20];
  memset(message, ' ', sizeof message);
  if (rank_in(comm) == 0) {
    MPI_Send("Hello there", 11, MPI_CHAR, 1, 99, comm);
    return;
  }
  MPI_Recv(message, 20, MPI_CHAR, 0, 99, comm, MPI_STATUS_IGNORE);
  CHECK(memcmp(message, "Hello there         ", 20) == 0);
}

static void ten_into_fifteen(MPI_Comm comm) {
  float numbers[15];
  MPI_Status status = odd_status();
  for (int i = 0; i < 15; ++i) numbers[i] = rank_in(comm) == 0 ? (float)i + 0.5F : -1;
  if (rank_in(comm) == 0) {
    MPI_Send(numbers, 10, MPI_FLOAT, 1, 5, comm);
    return;
  }
  MPI_Recv(numbers, 15, MPI_FLOAT, 0, 5, comm, &status);
  CHECK_EQUAL(count_of(&status, MPI_FLOAT), 10);
  for (int i = 0; i < 15; ++i) CHECK(numbers[i] == (i < 10 ? (float)i + 0.5F : -1));
}

/* A mismatch: either it is found and said, or the bits arrive; nothing else may be written, and
 * messages go on. */
static void floats_into_bytes(MPI_Comm comm) {
  float numbers[10];
  unsigned char got[60];
  int sign = 0;
  returning(comm);
  for (int i = 0; i < 10; ++i) numbers[i] = (float)i;
  if (rank_in(comm) == 0) {
    MPI_Send(numbers, 10, MPI_FLOAT, 1, 5, comm);
    MPI_Send(&sign, 1, MPI_INT, 1, 6, comm);
    return;
  }
  blank(got, 60);
  const int code = MPI_Recv(got, 40, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) CHECK_CLASS(code, MPI_ERR_TYPE);
  if (code == MPI_SUCCESS) CHECK(memcmp(got, numbers, 40) == 0);
  CHECK(untouched(got + 40, 20));
  sign = 1;
  CHECK_EQUAL(MPI_Recv(&sign, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(sign, 0);
}

/* Bytes may be taken from any storage and put into any. */
static void bytes_of_floats(MPI_Comm comm) {
  float numbers[15];
  MPI_Status status = odd_status();
  for (int i = 0; i < 15; ++i) numbers[i] = rank_in(comm) == 0 ? 1.0F / (float)(i + 3) : -1;
  if (rank_in(comm) == 0) {
    MPI_Send(numbers, 40, MPI_BYTE, 1, 5, comm);
    return;
  }
  MPI_Recv(numbers, 60, MPI_BYTE, 0, 5, comm, &status);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 40);
  for (int i = 0; i < 15; ++i) CHECK(numbers[i] == (i < 10 ? 1.0F / (float)(i + 3) : -1));
}

static void into_a_substring(MPI_Comm comm) {
  char text[10];
  MPI_Status status = odd_status();
  memset(text, '.', sizeof text);
  if (rank_in(comm) == 0) {
    memcpy(text, "abcdefghij", sizeof text);
    MPI_Send(text, 5, MPI_CHARACTER, 1, 5, comm);
    return;
  }
  MPI_Recv(text + 5, 5, MPI_CHARACTER, 0, 5, comm, &status);
  CHECK_EQUAL(count_of(&status, MPI_CHARACTER), 5);
  CHECK(memcmp(text, ".....abcde", sizeof text) == 0);
}

static const Case cases[] = {
    {"req 2.3.13, req 2.3.16", "integers of every basic type arrive bit by bit", ANY, integers},
    {"req 2.3.13, req 2.3.16", "floating-point values arrive bit by bit", ANY, floating_point},
    {"req 2.3.13", "type signatures match, not layouts", 1, signatures},
    {"req 2.3.13", "packed data matches any type", 1, packed_matches_anything},
    {"ex 2.1, req errata 1.23", "a string with its final zero", 2, hello_there},
    {"ex 2.2", "a string of fixed length", 2, hello_there_of_fixed_length},
    {"ex 2.3", "ten numbers into a buffer for fifteen", 2, ten_into_fifteen},
    {"req 2.3.14, ex 2.4", "a mismatch of types does no other harm", 2, floats_into_bytes},
    {"req 2.3.13, ex 2.5", "bytes may describe any storage", 2, bytes_of_floats},
    {"ex 2.6", "a part of a string into a part of another", 2, into_a_substring},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
