/* SPDX-License-Identifier: BSD-3-Clause
   Programs that count on nothing but the standard: ways to shift data around a ring, ready sends, a
   library with a ring of its own; and what the library owes them: buffers that are used, little
   memory for what is pending, whole messages. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a process sends on, what it gets, and its neighbours. */
typedef struct {
  int rank, size, to, from, count;
  int *out, *in;
} Ring;

static Ring ring_of(MPI_Comm comm, int count) {
  Ring r = {rank_in(comm), size_of(comm), 0, 0, count, NULL, NULL};
  r.to = (r.rank + 1) % r.size;
  r.from = (r.rank + r.size - 1) % r.size;
  r.out = malloc(sizeof(int) * (size_t)count);
  r.in = malloc(sizeof(int) * (size_t)count);
  for (int i = 0; i < count; i++) r.out[i] = r.rank + i, r.in[i] = -1;
  return r;
}

static void expect_shifted(Ring* r) {
  int wrong = 0;
  for (int i = 0; i < r->count; i++) wrong += r->in[i] != r->from + i;
  CHECK_EQUAL(wrong, 0);
  free(r->out);
  free(r->in);
}

/* Even ranks send first, odd ones receive first; with an odd size the last even one and rank 0
 * still get on. */
static void alternate(MPI_Comm comm, Ring* r) {
  if (r->rank % 2 == 0) MPI_Send(r->out, r->count, MPI_INT, r->to, 0, comm);
  MPI_Recv(r->in, r->count, MPI_INT, r->from, 0, comm, MPI_STATUS_IGNORE);
  if (r->rank % 2 == 1) MPI_Send(r->out, r->count, MPI_INT, r->to, 0, comm);
}

/* A buffer of exactly the size that the standard says. */
static void buffered(MPI_Comm comm, Ring* r) {
  int bytes = 0, detached = 0;
  MPI_Pack_size(r->count, MPI_INT, comm, &bytes);
  bytes += MPI_BSEND_OVERHEAD;
  void *buffer = malloc((size_t)bytes), *back = NULL;
  MPI_Buffer_attach(buffer, bytes);
  MPI_Bsend(r->out, r->count, MPI_INT, r->to, 0, comm);
  for (int i = 0; i < r->count; i++) r->out[i] = -5; /* the message is in the buffer */
  MPI_Recv(r->in, r->count, MPI_INT, r->from, 0, comm, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&back, &detached);
  CHECK(back == buffer && detached == bytes);
  free(buffer);
}

static void isend(MPI_Comm comm, Ring* r) {
  MPI_Request request;
  MPI_Isend(r->out, r->count, MPI_INT, r->to, 0, comm, &request);
  MPI_Recv(r->in, r->count, MPI_INT, r->from, 0, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void irecv(MPI_Comm comm, Ring* r) {
  MPI_Request request;
  MPI_Irecv(r->in, r->count, MPI_INT, r->from, 0, comm, &request);
  MPI_Send(r->out, r->count, MPI_INT, r->to, 0, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sendrecv(MPI_Comm comm, Ring* r) {
  MPI_Sendrecv(r->out, r->count, MPI_INT, r->to, 0, r->in, r->count, MPI_INT, r->from, 0, comm,
               MPI_STATUS_IGNORE);
}

static void both_sizes(MPI_Comm comm, void (*shift)(MPI_Comm, Ring*)) {
  static const int counts[2] = {2, 90000};
  for (int i = 0; i < 2; i++) {
    Ring r = ring_of(comm, counts[i]);
    shift(comm, &r);
    expect_shifted(&r);
  }
}

static void ring_alternate(MPI_Comm comm) {
  both_sizes(comm, alternate);
}
static void ring_buffered(MPI_Comm comm) {
  both_sizes(comm, buffered);
}
static void ring_isend(MPI_Comm comm) {
  both_sizes(comm, isend);
}
static void ring_irecv(MPI_Comm comm) {
  both_sizes(comm, irecv);
}
static void ring_sendrecv(MPI_Comm comm) {
  both_sizes(comm, sendrecv);
}

/* A broadcast does not say that the receive of a ready send is posted; a barrier after posting
 * does. */
static void ready_after_barrier(MPI_Comm comm) {
  Ring r = ring_of(comm, 1000);
  MPI_Request request;
  int go = 1;
  MPI_Irecv(r.in, r.count, MPI_INT, r.from, 0, comm, &request);
  MPI_Bcast(&go, 1, MPI_INT, 0, comm);
  MPI_Barrier(comm);
  MPI_Rsend(r.out, r.count, MPI_INT, r.to, 0, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_shifted(&r);
}

static void library_ring(MPI_Comm own, int rank) {
  int got = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size_of(own), 0, &got, 1, MPI_INT, MPI_ANY_SOURCE,
               MPI_ANY_TAG, own, MPI_STATUS_IGNORE);
  CHECK_EQUAL(got, (rank + size_of(own) - 1) % size_of(own));
}

/* The caller's receive from any source is pending while the library passes its own messages around.
 */
static void library_apart(MPI_Comm comm) {
  const int rank = rank_in(comm);
  MPI_Comm own;
  MPI_Request request = MPI_REQUEST_NULL;
  int got = -1, number = 40;
  MPI_Comm_dup(comm, &own);
  if (rank == 0) MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  if (rank == 2) MPI_Isend(&number, 1, MPI_INT, 1, 0, comm, &request);
  library_ring(own, rank);
  if (rank == 1)
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  if (rank == 1) number++, MPI_Send(&number, 1, MPI_INT, 0, 0, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) CHECK_EQUAL(got, 41);
  MPI_Comm_free(&own);
}

/* Bytes of this process that are in memory. */
static long resident(void) {
  long pages = 0, resident_pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident_pages) != 2) resident_pages = 0;
  if (file != NULL) fclose(file);
  return resident_pages * sysconf(_SC_PAGESIZE);
}

/* Sixteen sends of 4 MiB are pending at once; the library may keep a little for each, not the
 * bytes. */
static void pending_is_cheap(MPI_Comm comm) {
  enum { PENDING = 16, BYTES = 4 << 20 };
  const int rank = rank_in(comm);
  char* buffer = calloc(1, BYTES);
  MPI_Request requests[PENDING];
  int go = 0;
  for (int i = 0; i < BYTES; i += 512) buffer[i] = 1;
  const long before = resident();
  for (int i = 0; rank == 0 && i < PENDING; i++)
    MPI_Isend(buffer, BYTES, MPI_CHAR, 1, i, comm, &requests[i]);
  if (rank == 0) MPI_Send(&go, 1, MPI_INT, 1, 99, comm);
  if (rank == 1)
    MPI_Recv(&go, 1, MPI_INT, 0, 99, comm, MPI_STATUS_IGNORE); /* now all of them are known here */
  CHECK(resident() - before < 16L << 20);
  for (int i = PENDING; rank == 1 && i-- > 0;)
    MPI_Recv(buffer, BYTES, MPI_CHAR, 0, i, comm, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Waitall(PENDING, requests, MPI_STATUSES_IGNORE);
  CHECK(resident() - before < 32L << 20);
  free(buffer);
}

static unsigned next_random(unsigned* state) {
  return *state = *state * 1664525u + 1013904223u;
}

/* Many messages of many sizes in both directions, every byte looked at. */
static void reliable(MPI_Comm comm) {
  enum { MOST = 150000 };
  const int rank = rank_in(comm), size = size_of(comm), to = (rank + 1) % size,
            from = (rank + size - 1) % size;
  unsigned sizes = 5, sent = (unsigned)rank, expected = (unsigned)from;
  unsigned char *out = malloc(MOST), *in = malloc(MOST);
  int wrong = 0;
  for (int round = 0; round < 40; round++) {
    const int bytes = (int)(next_random(&sizes) >> 8) % (round % 4 == 0 ? MOST : 3000);
    MPI_Status status;
    int got = -1;
    for (int i = 0; i < bytes; i++) out[i] = (unsigned char)(next_random(&sent) >> 24);
    MPI_Sendrecv(out, bytes, MPI_BYTE, to, round, in, MOST, MPI_BYTE, from, MPI_ANY_TAG, comm,
                 &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    CHECK(got == bytes && status.MPI_TAG == round);
    for (int i = 0; i < bytes; i++) wrong += in[i] != (unsigned char)(next_random(&expected) >> 24);
  }
  CHECK_EQUAL(wrong, 0);
  free(out);
  free(in);
}

static const Case cases[] = {
    {"ex 9.1a, ex 9.1, req 9.1.2", "a ring shift where even and odd ranks alternate", 2,
     ring_alternate},
    {"ex 9.1a, ex 9.1, req 9.1.2", "a ring shift where an odd number of ranks alternates", 5,
     ring_alternate},
    {"ex 9.1b, ex 9.1, req 9.1.3, req 9.1.2",
     "a ring shift with a buffer of exactly the size needed", ANY, ring_buffered},
    {"ex 9.1c, ex 9.1, req 9.1.2", "a ring shift by MPI_Isend", ANY, ring_isend},
    {"ex 9.1d, ex 9.1, req 9.1.2", "a ring shift by MPI_Irecv", ANY, ring_irecv},
    {"ex 9.1e, ex 9.1, req 9.1.2", "a ring shift by MPI_Sendrecv", ANY, ring_sendrecv},
    {"ex 9.2.2", "ready sends after a barrier that follows the receives", ANY, ready_after_barrier},
    {"ex fig-9.5, ex fig-9.6, req 9.1.7", "a library's ring beside receives from any source", 3,
     library_apart},
    {"req 9.1.4", "pending sends cost memory by their number, not by their bytes", 2,
     pending_is_cheap},
    {"req 1.2.20", "messages of all sizes arrive whole, once and unchanged", ANY, reliable},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
