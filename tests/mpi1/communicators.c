/* SPDX-License-Identifier: BSD-3-Clause
   Communicators: the predefined ones, making new ones and keeping them apart, comparing, freeing.
 */
#include "case.h"

#include <stdlib.h>

static int comparison(MPI_Comm one, MPI_Comm other) {
  int result = -1;
  MPI_Comm_compare(one, other, &result);
  return result;
}

static int pass_on(MPI_Comm comm, int value) {
  const int rank = rank_in(comm), size = size_of(comm);
  int got = -1;
  MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 5, &got, 1, MPI_INT, (rank + size - 1) % size,
               5, comm, MPI_STATUS_IGNORE);
  return got;
}

static void predefined(MPI_Comm comm) {
  MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
  (void)comm;
  CHECK_EQUAL(rank_in(MPI_COMM_SELF), 0);
  CHECK_EQUAL(size_of(MPI_COMM_SELF), 1);
  CHECK_EQUAL(pass_on(MPI_COMM_SELF, 17), 17);
  CHECK(size_of(MPI_COMM_WORLD) >= size_of(comm));
  returning(MPI_COMM_WORLD);
  returning(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Comm_free(&world), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Comm_free(&self), MPI_ERR_COMM);
  CHECK(world == MPI_COMM_WORLD && self == MPI_COMM_SELF);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  CHECK_EQUAL(pass_on(MPI_COMM_SELF, 18), 18);
}

/* The same tag and source on several communicators, received in the opposite order of sending. */
static void domains(MPI_Comm comm) {
  enum { MADE = 4 };
  const int rank = rank_in(comm), size = size_of(comm);
  MPI_Comm made[MADE];
  MPI_Group all;
  MPI_Comm_group(comm, &all);
  MPI_Comm_dup(comm, &made[0]);
  MPI_Comm_create(comm, all, &made[1]);
  MPI_Comm_split(comm, 0, rank, &made[2]);
  MPI_Comm_dup(made[0], &made[3]);
  MPI_Request sends[MADE];
  int values[MADE], got = -1;
  for (int i = 0; i < MADE; i++) {
    values[i] = 100 * rank + i;
    MPI_Isend(&values[i], 1, MPI_INT, (rank + 1) % size, 0, made[i], &sends[i]);
  }
  for (int i = MADE - 1; i >= 0; i--) {
    int found = 1;
    if (i > 0) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
    CHECK_EQUAL(found, i > 0 ? 0 : 1); /* nothing strays into the parent */
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, made[i], MPI_STATUS_IGNORE);
    CHECK_EQUAL(got, 100 * ((rank + size - 1) % size) + i);
  }
  MPI_Waitall(MADE, sends, MPI_STATUSES_IGNORE);
  for (int i = 0; i < MADE; i++) MPI_Comm_free(&made[i]);
  MPI_Group_free(&all);
}

/* Collective operations do not meet the point-to-point messages of the same communicator. */
static void collectives_apart(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  int early = -1, value = rank, sum = -1;
  MPI_Request request;
  MPI_Irecv(&early, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQUAL(sum, size * (size - 1) / 2);
  MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 3, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQUAL(early, (rank + size - 1) % size);
}

static void own_handlers(MPI_Comm comm) {
  const int odd = rank_in(comm) % 2, size = size_of(comm);
  MPI_Comm twin;
  MPI_Errhandler handler;
  int buffer = 0;
  MPI_Comm_dup(comm, &twin);
  MPI_Errhandler_set(twin, MPI_ERRORS_RETURN);
  MPI_Errhandler_set(comm, odd ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
  CHECK_CLASS(MPI_Send(&buffer, 1, MPI_INT, size, 0, twin), MPI_ERR_RANK);
  MPI_Errhandler_get(comm, &handler);
  CHECK(handler == (odd ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL));
  MPI_Comm_free(&twin);
}

/* Whoever has the new communicator first sends on it at once; often the others do not have it yet.
 */
static void early_messages(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  for (int round = 0; round < 100; round++) {
    const int first = round % size;
    int value = -1;
    MPI_Comm twin;
    MPI_Request requests[10];
    MPI_Comm_dup(comm, &twin);
    for (int r = 0; rank == first && r < size; r++)
      MPI_Isend(&round, 1, MPI_INT, r, 2, twin, &requests[r]);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, twin, MPI_STATUS_IGNORE);
    CHECK_EQUAL(value, round);
    if (rank == first) MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&twin);
  }
}

static void pending_on_parent(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), next = (rank + 1) % size;
  int early = -1, value = rank;
  MPI_Comm made[3];
  MPI_Request requests[2];
  MPI_Group all;
  MPI_Comm_group(comm, &all);
  MPI_Irecv(&early, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]);
  MPI_Comm_dup(comm, &made[0]);
  MPI_Comm_split(comm, 0, -rank, &made[1]);
  MPI_Comm_create(comm, all, &made[2]);
  MPI_Issend(&value, 1, MPI_INT, next, 6, comm, &requests[1]);
  CHECK_EQUAL(pass_on(made[0], rank), (rank + size - 1) % size);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK_EQUAL(early, (rank + size - 1) % size);
  for (int i = 0; i < 3; i++) MPI_Comm_free(&made[i]);
  MPI_Group_free(&all);
}

static void duplicate(MPI_Comm comm) {
  const int size = size_of(comm), none = 0;
  MPI_Comm twin, line, line_twin;
  int kind = -1, extent = -1, periodic = -1, place = -1;
  MPI_Comm_dup(comm, &twin);
  CHECK_EQUAL(comparison(comm, twin), MPI_CONGRUENT);
  CHECK_EQUAL(rank_in(twin), rank_in(comm));
  MPI_Cart_create(comm, 1, &size, &none, 0, &line);
  MPI_Comm_dup(line, &line_twin);
  MPI_Topo_test(line_twin, &kind);
  CHECK_EQUAL(kind, MPI_CART);
  MPI_Comm_free(&line);
  MPI_Cart_get(line_twin, 1, &extent, &periodic, &place);
  CHECK(extent == size && periodic == 0 && place == rank_in(comm));
  MPI_Comm_free(&line_twin);
  MPI_Comm_free(&twin);
}

static void create(MPI_Comm comm) {
  const int rank = rank_in(comm), order[2] = {2, 0};
  int keyval, flag = 1, kind = 0;
  void* value = NULL;
  MPI_Group all, two;
  MPI_Comm pair, line;
  const int size = size_of(comm), none = 0;
  MPI_Cart_create(comm, 1, &size, &none, 0, &line);
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keyval, NULL);
  MPI_Attr_put(line, keyval, &keyval);
  MPI_Comm_group(line, &all);
  MPI_Group_incl(all, 2, order, &two);
  MPI_Comm_create(line, two, &pair);
  CHECK_EQUAL(pair != MPI_COMM_NULL, rank == 2 || rank == 0);
  if (pair != MPI_COMM_NULL) {
    CHECK_EQUAL(size_of(pair), 2);
    CHECK_EQUAL(rank_in(pair), rank == 2 ? 0 : 1);
    CHECK_EQUAL(pass_on(pair, rank), 2 - rank);
    MPI_Attr_get(pair, keyval, &value, &flag);
    CHECK_EQUAL(flag, 0);
    MPI_Topo_test(pair, &kind);
    CHECK_EQUAL(kind, MPI_UNDEFINED);
    MPI_Comm_free(&pair);
  }
  MPI_Comm_free(&line);
  MPI_Keyval_free(&keyval);
  MPI_Group_free(&all);
  MPI_Group_free(&two);
}

static void create_beyond(MPI_Comm comm) {
  MPI_Group all;
  MPI_Comm made = comm;
  MPI_Comm_group(comm, &all);
  returning(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Comm_create(MPI_COMM_SELF, all, &made), MPI_ERR_GROUP);
  CHECK(made == comm);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Group_free(&all);
}

static void split_ten(MPI_Comm comm) {
  static const int colors[10] = {0, -1, 3, 0, 3, 0, 0, 5, 3, -1},
                   keys[10] = {3, 1, 2, 5, 1, 1, 1, 2, 1, 0};
  static const int expected_size[10] = {4, 0, 3, 4, 3, 4, 4, 1, 3, 0};
  static const int expected_rank[10] = {2, 0, 2, 3, 0, 0, 1, 0, 1, 0};
  const int rank = rank_in(comm);
  MPI_Comm part;
  MPI_Comm_split(comm, colors[rank] < 0 ? MPI_UNDEFINED : colors[rank], keys[rank], &part);
  CHECK_EQUAL(part == MPI_COMM_NULL, colors[rank] < 0);
  if (part == MPI_COMM_NULL) return;
  CHECK_EQUAL(size_of(part), expected_size[rank]);
  CHECK_EQUAL(rank_in(part), expected_rank[rank]);
  MPI_Comm_free(&part);
}

static void split_keys(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), huge = 0x7fffffff;
  MPI_Comm part, same;
  MPI_Comm_split(comm, huge, rank == size - 1 ? -huge - 1 : (rank == 0 ? huge : 0), &part);
  const int expected = rank == size - 1 ? 0 : (rank == 0 ? size - 1 : rank);
  CHECK_EQUAL(rank_in(part), expected);
  MPI_Comm_split(comm, 1, 7, &same); /* equal keys: the old order */
  CHECK_EQUAL(comparison(same, comm), MPI_CONGRUENT);
  MPI_Comm_free(&part);
  MPI_Comm_free(&same);
  returning(comm);
  part = comm;
  CHECK_CLASS(MPI_Comm_split(comm, MPI_UNDEFINED > 0 ? -1 : MPI_UNDEFINED - 1, 0, &part),
              MPI_ERR_ARG);
}

static void create_is_split(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  int backwards[1][3] = {{size - 1, 0, -1}}, key = -1;
  MPI_Group all, turned;
  MPI_Comm created, split;
  MPI_Comm_group(comm, &all);
  MPI_Group_range_incl(all, 1, backwards, &turned);
  MPI_Group_rank(turned, &key);
  MPI_Comm_create(comm, turned, &created);
  MPI_Comm_split(comm, 0, key, &split);
  CHECK_EQUAL(comparison(created, split), MPI_CONGRUENT);
  CHECK_EQUAL(rank_in(created), size - 1 - rank);
  MPI_Comm_free(&created);
  MPI_Comm_free(&split);
  MPI_Group_free(&all);
  MPI_Group_free(&turned);
}

static void compare(MPI_Comm comm) {
  const int rank = rank_in(comm);
  MPI_Comm twin, turned, fewer, copy = comm;
  MPI_Comm_dup(comm, &twin);
  MPI_Comm_split(comm, 0, -rank, &turned);
  MPI_Comm_split(comm, rank < 2 ? 0 : 1, 0, &fewer);
  CHECK_EQUAL(comparison(comm, copy), MPI_IDENT);
  CHECK_EQUAL(comparison(comm, twin), MPI_CONGRUENT);
  CHECK_EQUAL(comparison(comm, turned), MPI_SIMILAR);
  CHECK_EQUAL(comparison(comm, fewer), MPI_UNEQUAL);
  CHECK_EQUAL(comparison(fewer, comm), MPI_UNEQUAL);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&turned);
  MPI_Comm_free(&fewer);
}

/* Both sides free the communicator while a message of `bytes` is pending on it. */
static void free_with_pending(MPI_Comm comm, int bytes) {
  const int rank = rank_in(comm), size = size_of(comm), next = (rank + 1) % size,
            before = (rank + size - 1) % size;
  char *out = malloc((size_t)bytes), *in = malloc((size_t)bytes);
  MPI_Comm twin;
  MPI_Request requests[2];
  for (int i = 0; i < bytes; i++) out[i] = (char)(rank + i), in[i] = -1;
  MPI_Comm_dup(comm, &twin);
  MPI_Irecv(in, bytes, MPI_CHAR, before, 1, twin, &requests[0]);
  MPI_Isend(out, bytes, MPI_CHAR, next, 1, twin, &requests[1]);
  MPI_Comm_free(&twin);
  CHECK(twin == MPI_COMM_NULL);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  int wrong = 0;
  for (int i = 0; i < bytes; i++) wrong += in[i] != (char)(before + i);
  CHECK_EQUAL(wrong, 0);
  free(out);
  free(in);
}

static void free_pending(MPI_Comm comm) {
  free_with_pending(comm, 8);
  free_with_pending(comm, 400000);
}

static void free_null(MPI_Comm comm) {
  MPI_Comm none = MPI_COMM_NULL;
  (void)comm;
  returning(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Comm_free(&none), MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static const Case cases[] = {
    {"req 5.3.12, req 1.2.7", "MPI_COMM_WORLD and MPI_COMM_SELF are there and stay", ANY,
     predefined},
    {"req 5.3.13, req 9.1.7", "each constructor makes a domain of its own", ANY, domains},
    {"req 5.3.13", "collectives and messages of one communicator do not meet", ANY,
     collectives_apart},
    {"req 5.3.14", "communicators of one group have their own error handlers on each process", ANY,
     own_handlers},
    {"req 5.3.15", "a message may come for a communicator that does not exist yet", 3,
     early_messages},
    {"req 5.3.16", "constructors leave what is pending on the parent alone", ANY,
     pending_on_parent},
    {"req 5.3.17, req 6.2.1", "a duplicate has the group, the order and the topology", ANY,
     duplicate},
    {"req 5.3.18, req 6.2.1", "MPI_Comm_create: the group in its order, no attributes, no topology",
     3, create},
    {"req 5.3.18", "a group that is no subset is an error", 2, create_beyond},
    {"req 5.3.19, ex 5.7", "the ten processes a..j split by colour and key", 10, split_ten},
    {"req 5.3.19", "keys are any integers, ties keep the old order, colours are not negative", 3,
     split_keys},
    {"req 5.3.19", "MPI_Comm_create is a split with the rank in the group as key", ANY,
     create_is_split},
    {"req 5.3.22", "communicators are identical, congruent, similar or unequal", 3, compare},
    {"req 5.3.21, req 1.2.5", "what is pending on a freed communicator ends normally", ANY,
     free_pending},
    {"req 5.3.21", "MPI_COMM_NULL cannot be freed", ANY, free_null},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
