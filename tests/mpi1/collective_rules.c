/* SPDX-License-Identifier: BSD-3-Clause
   What holds for every collective call: order, completion, separation from other messages,
   arguments that do not count. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { LONG_COUNT = 80000 };

/* A call that has no meaning between two groups says so. */
static void between_groups(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int low = me < size_of(comm) / 2;
  int one = 1;
  int sum = -5;
  MPI_Comm half, inter;
  MPI_Comm_split(comm, low, me, &half);
  MPI_Intercomm_create(half, 0, comm, low ? size_of(comm) / 2 : 0, 1, &inter);
  returning(inter);
  CHECK_CLASS(MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
  CHECK_EQUAL(sum, -5);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* One round of unlike calls, the roots wandering; nothing keeps a rank from running ahead. */
static int wrong_in_round(MPI_Comm comm, int round) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  const int root = round % size;
  int token = me == root ? 1000 + round : -1;
  int sum = -1;
  int mine = me + round;
  int* all = malloc((size_t)size * sizeof(int));
  int wrong = 0;
  MPI_Bcast(&token, 1, MPI_INT, root, comm);
  wrong += token != 1000 + round;
  MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, comm);
  for (int i = 0; i < size && me == root; i++) wrong += all[i] != i + round;
  MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, (root + 1) % size, comm);
  if (me == (root + 1) % size) wrong += sum != size * round + size * (size - 1) / 2;
  MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, root, comm);
  wrong += mine != me + round;
  free(all);
  return wrong;
}

static void many_in_a_row(MPI_Comm comm) {
  int wrong = 0;
  for (int round = 0; round < 40; round++) wrong += wrong_in_round(comm, round);
  CHECK_EQUAL(wrong, 0);
}

/* The root runs ahead through broadcasts of all lengths: the n-th call of one rank is the n-th of
 * all. */
static void root_runs_ahead(MPI_Comm comm) {
  enum { CALLS = 60, LONGEST = 30000 };
  int* data = malloc(LONGEST * sizeof(int));
  int wrong = 0;
  for (int call = 0; call < CALLS; call++) {
    const int count = call % 10 == 9 ? LONGEST : 1 + call;
    for (int i = 0; i < count; i++) data[i] = rank_in(comm) == 0 ? call + i : -1;
    MPI_Bcast(data, count, MPI_INT, 0, comm);
    for (int i = 0; i < count; i++) wrong += data[i] != call + i;
  }
  CHECK_EQUAL(wrong, 0);
  free(data);
}

/* Nothing but broadcasts, each from another root, so that messages from several roots are under way
 * at once. */
static void roots_wander(MPI_Comm comm) {
  enum { CALLS = 200 };
  const int size = size_of(comm);
  int wrong = 0;
  for (int call = 0; call < CALLS; call++) {
    const int root = (call * 7 + call / 3) % size;
    int data[2] = {call, rank_in(comm) == root ? 3 * call : -1};
    MPI_Bcast(data, 2, MPI_INT, root, comm);
    wrong += data[0] != call || data[1] != 3 * call;
  }
  CHECK_EQUAL(wrong, 0);
}

/* Two communicators of the same ranks: calls on one are not matched by calls on the other. */
static void two_communicators(MPI_Comm comm) {
  MPI_Comm other;
  int wrong = 0;
  MPI_Comm_dup(comm, &other);
  for (int round = 0; round < 20; round++) {
    int a = rank_in(comm) == 0 ? round : -1;
    int b = rank_in(comm) == 0 ? -round : -1;
    MPI_Bcast(&a, 1, MPI_INT, 0, comm);
    MPI_Bcast(&b, 1, MPI_INT, 0, other);
    wrong += a != round || b != -round;
  }
  CHECK_EQUAL(wrong, 0);
  MPI_Comm_free(&other);
}

/* After the return the buffers belong to the program again: it spoils what it sent at once. */
static void buffers_are_free(MPI_Comm comm, int count) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  int* out = malloc((size_t)count * size * sizeof(int));
  int* in = malloc((size_t)count * size * sizeof(int));
  int wrong = 0;
  for (int i = 0; i < count * size; i++) out[i] = i + me;
  MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, size - 1, comm);
  memset(out, 0xff, (size_t)count * sizeof(int));
  for (int i = 0; i < count * size && me == size - 1; i++) wrong += in[i] != i % count + i / count;
  for (int i = 0; i < count * size; i++) out[i] = i;
  MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, 0, comm);
  memset(out, 0xff, (size_t)count * size * sizeof(int));
  for (int i = 0; i < count; i++) wrong += in[i] != me * count + i;
  for (int i = 0; i < count; i++) out[i] = me == 0 ? i : -1;
  MPI_Bcast(out, count, MPI_INT, 0, comm);
  for (int i = 0; i < count; i++) wrong += out[i] != i;
  MPI_Bcast(out, count, MPI_INT, 0, comm);
  if (me == 0) memset(out, 0xff, (size_t)count * sizeof(int));
  for (int i = 0; i < count && me != 0; i++) wrong += out[i] != i;
  for (int i = 0; i < count; i++) out[i] = i + me;
  MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, 0, comm);
  memset(out, 0xff, (size_t)count * sizeof(int));
  for (int i = 0; i < count && me == 0; i++) wrong += in[i] != size * i + size * (size - 1) / 2;
  CHECK_EQUAL(wrong, 0);
  free(out);
  free(in);
}

static void buffers_are_free_short(MPI_Comm comm) {
  buffers_are_free(comm, 3);
}
static void buffers_are_free_long(MPI_Comm comm) {
  buffers_are_free(comm, LONG_COUNT);
}

/* Nobody leaves a barrier before the last one came: those who left would have sent a note to the
 * late one by now. */
static void barrier_holds(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  for (int late = 0; late < size; late++) {
    int note = late;
    if (me != late) {
      MPI_Barrier(comm);
      MPI_Send(&note, 1, MPI_INT, late, 5, comm);
      continue;
    }
    for (int look = 0; look < 300; look++) {
      int left = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, 5, comm, &left, MPI_STATUS_IGNORE);
      if (!CHECK(!left)) break;
      sched_yield();
    }
    MPI_Barrier(comm);
    for (int i = 1; i < size; i++)
      MPI_Recv(&note, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, MPI_STATUS_IGNORE);
  }
}

/* A receive that is open across collective calls, from anyone with any tag, gets none of their
 * messages. */
static void wildcards_see_nothing(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  int got = -1;
  int wrong = 0;
  int seen = 0;
  int note = 100 + me;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  for (int round = 0; round < 5; round++) {
    wrong += wrong_in_round(comm, round);
    MPI_Barrier(comm);
    MPI_Test(&request, &seen, &status);
    wrong += seen != 0;
    if (seen) break;
  }
  CHECK_EQUAL(wrong, 0);
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT, MPI_MAX, comm);
  if (seen) return;
  MPI_Send(&note, 1, MPI_INT, (me + 1) % size, 9, comm);
  MPI_Wait(&request, &status);
  CHECK_EQUAL(got, 100 + (me + size - 1) % size);
  CHECK(status.MPI_SOURCE == (me + size - 1) % size && status.MPI_TAG == 9);
}

static void probes_see_nothing(MPI_Comm comm) {
  int* data = calloc(LONG_COUNT, sizeof(int));
  int seen = 0;
  for (int round = 0; round < 5; round++) {
    int found = 0;
    MPI_Bcast(data, round % 2 == 0 ? 1 : LONG_COUNT, MPI_INT, 0, comm);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
    seen += found;
  }
  CHECK_EQUAL(seen, 0);
  free(data);
}

/* A message may be sent before a broadcast and received after it, or begin before and end after. */
static void messages_across(MPI_Comm comm) {
  const int me = rank_in(comm);
  int* out = calloc(LONG_COUNT, sizeof(int));
  int* in = calloc(LONG_COUNT, sizeof(int));
  int token = me == 0 ? 1 : 0;
  MPI_Request requests[2];
  if (me == 0) {
    for (int i = 0; i < LONG_COUNT; i++) out[i] = i;
    MPI_Isend(out, LONG_COUNT, MPI_INT, 1, 1, comm, &requests[0]);
    MPI_Bcast(&token, 1, MPI_INT, 0, comm);
    MPI_Send(out, 2, MPI_INT, 1, 2, comm);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  } else {
    int two[2] = {-1, -1};
    MPI_Irecv(two, 2, MPI_INT, 0, 2, comm, &requests[1]);
    MPI_Bcast(&token, 1, MPI_INT, 0, comm);
    MPI_Recv(in, LONG_COUNT, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK(two[0] == 0 && two[1] == 1 && token == 1 && in[LONG_COUNT - 1] == LONG_COUNT - 1);
  }
  free(out);
  free(in);
}

/* A root that is no rank of the group is refused by each rank, before anything is sent. */
static void no_such_root(MPI_Comm comm) {
  int one = 1;
  int sum = 0;
  const int roots[3] = {-1, size_of(comm), MPI_PROC_NULL};
  returning(comm);
  for (int i = 0; i < 3; i++) {
    CHECK_CLASS(MPI_Bcast(&one, 1, MPI_INT, roots[i], comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, roots[i], comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Gather(&one, 1, MPI_INT, &sum, 1, MPI_INT, roots[i], comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Scatter(&one, 1, MPI_INT, &sum, 1, MPI_INT, roots[i], comm), MPI_ERR_ROOT);
  }
  CHECK(one == 1 && sum == 0);
}

/* What only the root needs may be anything elsewhere. */
static void insignificant(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  const int root = size - 1;
  const int at_root = me == root;
  int* all = malloc((size_t)size * sizeof(int));
  int* counts = malloc((size_t)size * sizeof(int));
  int* places = malloc((size_t)size * sizeof(int));
  const int count = at_root ? 1 : -17;
  const MPI_Datatype type = at_root ? MPI_INT : MPI_DATATYPE_NULL;
  int mine = me + 5;
  int wrong = 0;
  for (int i = 0; i < size; i++) {
    counts[i] = 1;
    places[i] = size - 1 - i;
  }
  int* nothing = NULL;
  MPI_Gather(&mine, 1, MPI_INT, at_root ? all : nothing, count, type, root, comm);
  for (int i = 0; i < size && at_root; i++) wrong += all[i] != i + 5;
  MPI_Scatter(at_root ? all : nothing, count, type, &mine, 1, MPI_INT, root, comm);
  wrong += mine != me + 5;
  MPI_Gatherv(&mine, 1, MPI_INT, at_root ? all : nothing, at_root ? counts : nothing,
              at_root ? places : nothing, type, root, comm);
  for (int i = 0; i < size && at_root; i++) wrong += all[size - 1 - i] != i + 5;
  MPI_Scatterv(at_root ? all : nothing, at_root ? counts : nothing, at_root ? places : nothing,
               type, &mine, 1, MPI_INT, root, comm);
  wrong += mine != me + 5;
  MPI_Reduce(&mine, at_root ? all : nothing, 1, MPI_INT, MPI_SUM, root, comm);
  if (at_root) wrong += all[0] != size * 5 + size * (size - 1) / 2;
  CHECK_EQUAL(wrong, 0);
  free(all);
  free(counts);
  free(places);
}

static const Case cases[] = {
    {"req 4.3.1", "a scan between two groups is refused", 2, between_groups},
    {"req 4.3.1", "a scan between two larger groups is refused", 5, between_groups},
    {"req 4.3.2, req 4.3.6", "unlike calls in a row, the roots wandering", ANY, many_in_a_row},
    {"req 4.3.2, req 4.3.6", "the root of broadcasts may run ahead", ANY, root_runs_ahead},
    {"req 4.3.6", "broadcasts from wandering roots, with nothing between", ANY, roots_wander},
    {"req 4.3.2", "calls on two communicators are kept apart", ANY, two_communicators},
    {"req 4.3.3", "short buffers are free after the return", ANY, buffers_are_free_short},
    {"req 4.3.3", "long buffers are free after the return", ANY, buffers_are_free_long},
    {"req 4.3.3", "nobody leaves a barrier before the last one came", ANY, barrier_holds},
    {"req 4.3.5", "an open wildcard receive takes no collective message", ANY,
     wildcards_see_nothing},
    {"req 4.3.5", "a wildcard probe finds no collective message", ANY, probes_see_nothing},
    {"req 4.3.4, req 4.3.5", "point-to-point messages cross collective calls", 2, messages_across},
    {"req 4.3.8", "a root that is no rank is refused", ANY, no_such_root},
    {"req 4.3.9, ex 4.3", "what only the root needs may be anything elsewhere", ANY, insignificant},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
