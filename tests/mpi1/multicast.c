/* SPDX-License-Identifier: BSD-3-Clause
   A multicast library that receives from any source, in three forms: bare, with a communicator per
   call, with a private communicator and a counter that are kept as an attribute. The bare one is
   only safe when nothing else is under way. */
#include "case.h"

#include <stdlib.h>

/* A process owns the numbers [its own, end) counted from the root, and hands the upper half on
   until it is alone. A message is the end of the part that is handed on, and the datum. */
static void spread(MPI_Comm comm, int root, int tag, int* datum) {
  const int size = size_of(comm), number = (rank_in(comm) - root + size) % size;
  int message[2] = {size, *datum};
  if (number != 0) MPI_Recv(message, 2, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
  *datum = message[1];
  while (message[0] - number > 1) {
    const int middle = number + (message[0] - number + 1) / 2;
    MPI_Send(message, 2, MPI_INT, (middle + root) % size, tag, comm);
    message[0] = middle;
  }
}

static void spread_safely(MPI_Comm comm, int root, int* datum) {
  MPI_Comm own;
  MPI_Comm_dup(comm, &own);
  spread(own, root, 0, datum);
  MPI_Comm_free(&own);
}

typedef struct {
  MPI_Comm comm;
  int calls; /* the tag: messages of different calls do not meet */
} Private;

static int private_key = MPI_KEYVAL_INVALID, deleted;

static int delete_private(MPI_Comm comm, int keyval, void* value, void* extra_state) {
  Private* own = value;
  (void)comm, (void)keyval, (void)extra_state;
  deleted++;
  const int code = MPI_Comm_free(&own->comm);
  free(own);
  return code;
}

static Private* private_of(MPI_Comm comm) {
  void* value = NULL;
  int flag = 0;
  if (private_key == MPI_KEYVAL_INVALID)
    MPI_Keyval_create(MPI_NULL_COPY_FN, delete_private, &private_key, NULL);
  MPI_Attr_get(comm, private_key, &value, &flag);
  if (flag) return value;
  Private* made = malloc(sizeof *made);
  made->calls = 0;
  MPI_Comm_dup(comm, &made->comm);
  MPI_Attr_put(comm, private_key, made);
  return made;
}

static void spread_numbered(MPI_Comm comm, int root, int* datum) {
  Private* own = private_of(comm);
  spread(own->comm, root, own->calls++ % 32767, datum);
}

static void alone(MPI_Comm comm) {
  for (int root = 0; root < size_of(comm); root++) {
    int datum = rank_in(comm) == root ? 500 + root : -1;
    spread(comm, root, 0, &datum);
    CHECK_EQUAL(datum, 500 + root);
    MPI_Barrier(comm);
  }
}

/* Rank 1 receives from any source before the multicast of rank 0, which may be there first. */
static void receive_before(MPI_Comm comm) {
  const int rank = rank_in(comm);
  int datum = rank == 0 ? 77 : -1, got[2] = {-1, -1};
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 1, 0, comm);
  if (rank == 1) MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
  if (rank == 1) CHECK_EQUAL(got[0], 2);
  spread_safely(comm, 0, &datum);
  CHECK_EQUAL(datum, 77);
}

/* The message of rank 2 is under way while the multicast runs, and is received after it. */
static void receive_after(MPI_Comm comm) {
  const int rank = rank_in(comm);
  int datum = rank == 0 ? 78 : -1, got[2] = {-1, -1};
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 2) MPI_Isend(&rank, 1, MPI_INT, 1, 0, comm, &request);
  spread_safely(comm, 0, &datum);
  CHECK_EQUAL(datum, 78);
  if (rank == 1) MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
  if (rank == 1) CHECK_EQUAL(got[0], 2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void often(MPI_Comm comm) {
  for (int i = 0; i < 300; i++) {
    const int root = i % size_of(comm);
    int datum = rank_in(comm) == root ? i : -1;
    spread_safely(comm, root, &datum);
    if (!CHECK_EQUAL(datum, i)) return;
  }
}

/* Call after call with another root, nothing between them. */
static void numbered(MPI_Comm comm) {
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  deleted = 0;
  for (int i = 0; i < 100; i++) {
    const int root = (i * 7) % size_of(comm);
    int datum = rank_in(comm) == root ? i : -1;
    spread_numbered(twin, root, &datum);
    if (!CHECK_EQUAL(datum, i)) break;
  }
  CHECK_EQUAL(private_of(twin)->calls, 100);
  MPI_Comm_free(&twin);
  CHECK_EQUAL(deleted, 1);
  MPI_Keyval_free(&private_key);
}

static const Case cases[] = {
    {"ex 5.8", "a multicast by a tree that grows, from each root", ANY, alone},
    {"ex 5.9, ex 5.11", "a receive from any source before the multicast gets its own message", 3,
     receive_before},
    {"ex 5.10, ex 5.11", "a message that is under way during the multicast is left alone", 3,
     receive_after},
    {"ex 5.11, req 5.3.15", "communicators made and freed for each call, many times", ANY, often},
    {"ex 5.13", "multicasts with a counter as tag never mix", ANY, numbered},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
