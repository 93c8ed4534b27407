/* SPDX-License-Identifier: BSD-3-Clause
   Programs that would hang or err if a collective call synchronised, or did not, each in its safe
   form. */
#include <stdlib.h>

#include "case.h"

enum { LONG_COUNT = 80000 };

static void fill(int* data, int count, int seed) {
  for (int i = 0; i < count; i++) data[i] = seed + i;
}

static int wrong(const int* data, int count, int seed) {
  int found = 0;
  for (int i = 0; i < count; i++) found += data[i] != seed + i;
  return found;
}

/* Both ranks call for both roots in the same order. */
static void same_order(MPI_Comm comm, int count) {
  const int me = rank_in(comm);
  int* first = calloc((size_t)count, sizeof(int));
  int* second = calloc((size_t)count, sizeof(int));
  if (me == 0) fill(first, count, 10);
  if (me == 1) fill(second, count, 20);
  MPI_Bcast(first, count, MPI_INT, 0, comm);
  MPI_Bcast(second, count, MPI_INT, 1, comm);
  CHECK_EQUAL(wrong(first, count, 10), 0);
  CHECK_EQUAL(wrong(second, count, 20), 0);
  free(first);
  free(second);
}

static void same_order_short(MPI_Comm comm) {
  same_order(comm, 1);
}
static void same_order_long(MPI_Comm comm) {
  same_order(comm, LONG_COUNT);
}

/* A broadcast in the pair {low, high} of three ranks, from its first rank; other ranks pass by. */
static void in_pair(MPI_Comm pair, int count, int seed) {
  int* data = calloc((size_t)count, sizeof(int));
  if (rank_in(pair) == 0) fill(data, count, seed);
  MPI_Bcast(data, count, MPI_INT, 0, pair);
  CHECK_EQUAL(wrong(data, count, seed), 0);
  free(data);
}

/* Pairs that form a ring, each rank taking its two in the order of their numbers. */
static void ring_of_pairs(MPI_Comm comm) {
  const int me = rank_in(comm);
  MPI_Comm pairs[3];
  for (int p = 0; p < 3; p++) {
    const int member = me == p || me == (p + 1) % 3;
    MPI_Comm_split(comm, member ? 0 : MPI_UNDEFINED, me == p ? 0 : 1, &pairs[p]);
  }
  for (int round = 0; round < 10; round++) {
    for (int p = 0; p < 3; p++) {
      if (pairs[p] != MPI_COMM_NULL)
        in_pair(pairs[p], round % 5 == 4 ? LONG_COUNT : 1 + round, 100 * p + round);
    }
  }
  for (int p = 0; p < 3; p++) {
    if (pairs[p] != MPI_COMM_NULL) MPI_Comm_free(&pairs[p]);
  }
}

/* Broadcast first, then the message, on both sides. */
static void broadcast_then_message(MPI_Comm comm, int count) {
  const int me = rank_in(comm);
  int* first = calloc((size_t)count, sizeof(int));
  int* second = calloc((size_t)count, sizeof(int));
  if (me == 0) fill(first, count, 1);
  if (me == 0) fill(second, count, 2);
  MPI_Bcast(first, count, MPI_INT, 0, comm);
  if (me == 0) MPI_Send(second, count, MPI_INT, 1, 3, comm);
  if (me == 1) MPI_Recv(second, count, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(wrong(first, count, 1), 0);
  CHECK_EQUAL(wrong(second, count, 2), 0);
  free(first);
  free(second);
}

static void broadcast_then_message_short(MPI_Comm comm) {
  broadcast_then_message(comm, 1);
}
static void broadcast_then_message_long(MPI_Comm comm) {
  broadcast_then_message(comm, LONG_COUNT);
}

/* The book's order on rank 1, with a receive that does not block: safe whether or not the broadcast
 * synchronises. */
static void receive_around_broadcast(MPI_Comm comm) {
  const int me = rank_in(comm);
  int token = me == 0 ? 7 : 0;
  int note = me == 0 ? 8 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (me == 1) MPI_Irecv(&note, 1, MPI_INT, 0, 3, comm, &request);
  MPI_Bcast(&token, 1, MPI_INT, 0, comm);
  if (me == 0) MPI_Send(&note, 1, MPI_INT, 1, 3, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(token == 7 && note == 8);
}

/* Rank 1 receives twice from anyone, once before and once after the broadcast. */
static void rank_1(MPI_Comm comm, int* token) {
  MPI_Status status[2];
  int got[2] = {-1, -1};
  MPI_Recv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, &status[0]);
  MPI_Bcast(token, 1, MPI_INT, 0, comm);
  MPI_Recv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, &status[1]);
  for (int i = 0; i < 2; i++) CHECK_EQUAL(got[i], 10 * status[i].MPI_SOURCE);
  CHECK_EQUAL(status[0].MPI_SOURCE + status[1].MPI_SOURCE, 2);
  CHECK(status[0].MPI_SOURCE != 1);
}

/* Correct, with two outcomes: the message sent after the broadcast may be received before it. */
static void either_outcome(MPI_Comm comm) {
  for (int round = 0; round < 20; round++) {
    const int me = rank_in(comm);
    int token = me == 0 ? round : -1;
    int note = 10 * me;
    if (me == 0) {
      MPI_Bcast(&token, 1, MPI_INT, 0, comm);
      MPI_Send(&note, 1, MPI_INT, 1, 4, comm);
    } else if (me == 1) {
      rank_1(comm, &token);
    } else {
      MPI_Send(&note, 1, MPI_INT, 1, 4, comm);
      MPI_Bcast(&token, 1, MPI_INT, 0, comm);
    }
    CHECK_EQUAL(token, round);
    MPI_Barrier(comm);
  }
}

static const Case cases[] = {
    {"ex 4.24, req 4.3.40", "two broadcasts, called in the same order by both", 2,
     same_order_short},
    {"ex 4.24, req 4.3.40", "two long broadcasts, called in the same order by both", 2,
     same_order_long},
    {"ex 4.25, req 4.3.40", "broadcasts in a ring of pairs, in an order without a cycle", 3,
     ring_of_pairs},
    {"ex 4.26, req 4.3.40", "broadcast and message, in the same order on both", 2,
     broadcast_then_message_short},
    {"ex 4.26, req 4.3.40", "long broadcast and message, in the same order on both", 2,
     broadcast_then_message_long},
    {"ex 4.26, req 4.3.4", "an open receive around a broadcast", 2, receive_around_broadcast},
    {"ex 4.27, req 4.3.4, req 4.3.5", "a message overtakes a broadcast or not, and both are right",
     3, either_outcome},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
