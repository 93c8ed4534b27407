/* SPDX-License-Identifier: BSD-3-Clause
   Patterned messages: what was sent must be what arrives, and nothing beside it may change. */
#ifndef TESSERA_TESTS_MPI1_MESSAGES_H
#define TESSERA_TESTS_MPI1_MESSAGES_H

#include <string.h>

#include "case.h"

/* Bytes of a message that is sent at once, of one that is negotiated first, and of the margin
 * around a receive buffer. */
enum { SHORT = 40, LONG = 300001, MARGIN = 32, UNTOUCHED = 0xEE };

typedef unsigned char Bytes[LONG];

/* The sizes of messages that cases run with, where a requirement is about all. */
static const int both_sizes[] = {SHORT, LONG};

static inline unsigned char pattern(int seed, int i) {
  return (unsigned char)(seed * 37 + i * 7 + (i >> 8) + 1);
}

static inline void fill(void* data, int bytes, int seed) {
  unsigned char* at = data;
  for (int i = 0; i < bytes; ++i) at[i] = pattern(seed, i);
}

/* Whether the bytes are those that fill() wrote with this seed. */
static inline int intact(const void* data, int bytes, int seed) {
  const unsigned char* at = data;
  for (int i = 0; i < bytes; ++i) {
    if (at[i] != pattern(seed, i)) return 0;
  }
  return 1;
}

static inline void blank(void* data, int bytes) {
  memset(data, UNTOUCHED, (size_t)bytes);
}

static inline int untouched(const void* data, int bytes) {
  const unsigned char* at = data;
  for (int i = 0; i < bytes; ++i) {
    if (at[i] != UNTOUCHED) return 0;
  }
  return 1;
}

static inline int count_of(const MPI_Status* status, MPI_Datatype type) {
  int count = -77;
  MPI_Get_count(status, type, &count);
  return count;
}

static inline int cancelled(const MPI_Status* status) {
  int flag = -1;
  MPI_Test_cancelled(status, &flag);
  return flag;
}

/* A status in which everything is wrong until a call sets it. */
static inline MPI_Status odd_status(void) {
  MPI_Status status;
  memset(&status, 0x5A, sizeof status);
  return status;
}

static inline int error_class(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

/* The status of a message that was received. */
#define CHECK_STATUS(status, source, tag, bytes)       \
  do {                                                 \
    CHECK_EQUAL((status).MPI_SOURCE, (source));        \
    CHECK_EQUAL((status).MPI_TAG, (tag));              \
    CHECK_EQUAL(count_of(&(status), MPI_BYTE), bytes); \
  } while (0)

/* The empty status: what completion calls return where there was nothing to complete. */
#define CHECK_EMPTY(status)                               \
  do {                                                    \
    CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0); \
    CHECK_EQUAL(cancelled(&(status)), 0);                 \
    CHECK_EQUAL((status).MPI_ERROR, MPI_SUCCESS);         \
  } while (0)

/* A message without data: that the sender has come so far. */
enum { SIGNAL_TAG = 999 };

static inline void tell(int dest, MPI_Comm comm) {
  MPI_Send(NULL, 0, MPI_BYTE, dest, SIGNAL_TAG, comm);
}
static inline void hear(int source, MPI_Comm comm) {
  MPI_Recv(NULL, 0, MPI_BYTE, source, SIGNAL_TAG, comm, MPI_STATUS_IGNORE);
}

#endif
