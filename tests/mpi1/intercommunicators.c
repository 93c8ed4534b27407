/* SPDX-License-Identifier: BSD-3-Clause
   Intercommunicators: making, asking, talking and merging. */
#include "case.h"

#include <stdlib.h>

/* Even ranks on one side, odd ones on the other; `side` is 0 or 1. */
static MPI_Comm halves(MPI_Comm comm, MPI_Comm* half) {
  const int rank = rank_in(comm), side = rank % 2;
  MPI_Comm inter;
  MPI_Comm_split(comm, side, rank, half);
  MPI_Intercomm_create(*half, 0, comm, 1 - side, 9, &inter);
  return inter;
}

static int remote_size_of(MPI_Comm inter) {
  int size = -1;
  MPI_Comm_remote_size(inter, &size);
  return size;
}

static int comparison(MPI_Comm one, MPI_Comm other) {
  int result = -1;
  MPI_Comm_compare(one, other, &result);
  return result;
}

static void expect_group(MPI_Group group, MPI_Comm comm, int side) {
  int range[1][3] = {{side, size_of(comm) - 1, 2}}, result = -1;
  MPI_Group all, expected;
  MPI_Comm_group(comm, &all);
  MPI_Group_range_incl(all, 1, range, &expected);
  MPI_Group_compare(group, expected, &result);
  CHECK_EQUAL(result, MPI_IDENT);
  MPI_Group_free(&all);
  MPI_Group_free(&expected);
  MPI_Group_free(&group);
}

static void questions(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), side = rank % 2;
  MPI_Comm half, inter = halves(comm, &half);
  MPI_Group local, remote;
  int flag = -1;
  MPI_Comm_test_inter(inter, &flag);
  CHECK_EQUAL(flag, 1);
  MPI_Comm_test_inter(comm, &flag);
  CHECK_EQUAL(flag, 0);
  CHECK_EQUAL(size_of(inter), side == 0 ? (size + 1) / 2 : size / 2);
  CHECK_EQUAL(remote_size_of(inter), side == 1 ? (size + 1) / 2 : size / 2);
  CHECK_EQUAL(rank_in(inter), rank / 2);
  MPI_Comm_group(inter, &local);
  MPI_Comm_remote_group(inter, &remote);
  expect_group(local, comm, side);
  expect_group(remote, comm, 1 - side);
  returning(comm);
  CHECK_CLASS(MPI_Comm_remote_size(comm, &flag), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Comm_remote_group(comm, &remote), MPI_ERR_COMM);
  MPI_Comm_free(&half);
  MPI_Comm_free(&inter);
}

/* Everybody greets every remote process; ranks and sources are remote ones. */
static void everybody(MPI_Comm comm) {
  const int rank = rank_in(comm), side = rank % 2;
  MPI_Comm half, inter = halves(comm, &half);
  const int remote = remote_size_of(inter);
  MPI_Request requests[16];
  int got = -1;
  for (int r = 0; r < remote; r++) MPI_Isend(&rank, 1, MPI_INT, r, 4, inter, &requests[r]);
  for (int r = 0; r < remote; r++) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
    const int source = status.MPI_SOURCE;
    MPI_Recv(&got, 1, MPI_INT, source, 4, inter, &status);
    CHECK_EQUAL(status.MPI_SOURCE, source);
    CHECK_EQUAL(got, 2 * source + 1 - side);
  }
  MPI_Waitall(remote, requests, MPI_STATUSES_IGNORE);
  returning(inter);
  CHECK_CLASS(MPI_Send(&got, 1, MPI_INT, remote, 4, inter), MPI_ERR_RANK);
  MPI_Comm_free(&half);
  MPI_Comm_free(&inter);
}

/* The leaders exchange `count` numbers by all kinds of calls. */
static void all_calls(MPI_Comm inter, int side, int count) {
  int *out = calloc((size_t)count, sizeof(int)), *in = calloc((size_t)count, sizeof(int)),
      wrong = 0;
  MPI_Request requests[2];
  for (int i = 0; i < count; i++) out[i] = i + side, in[i] = -1;
  MPI_Sendrecv(out, count, MPI_INT, 0, 1, in, count, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; i++) wrong += in[i] != i + 1 - side;
  MPI_Recv_init(in, count, MPI_INT, MPI_ANY_SOURCE, 2, inter, &requests[0]);
  MPI_Ssend_init(out, count, MPI_INT, 0, 2, inter, &requests[1]);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < count; i++) in[i] = -1;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++) wrong += in[i] != i + 1 - side;
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Sendrecv_replace(out, count, MPI_INT, 0, 3, 0, 3, inter, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; i++) wrong += out[i] != i + 1 - side;
  CHECK_EQUAL(wrong, 0);
  free(out);
  free(in);
}

static void leaders(MPI_Comm comm) {
  MPI_Comm half, inter = halves(comm, &half);
  if (rank_in(inter) == 0) all_calls(inter, rank_in(comm) % 2, 3);
  if (rank_in(inter) == 0) all_calls(inter, rank_in(comm) % 2, 100000);
  MPI_Comm_free(&half);
  MPI_Comm_free(&inter);
}

static void topologies_and_attributes(MPI_Comm comm) {
  MPI_Comm half, inter = halves(comm, &half), made = comm, twin;
  const int one = 1, none = 0;
  int keyval, flag = 0, kind = 0;
  void* value = NULL;
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keyval, NULL);
  MPI_Attr_put(inter, keyval, &keyval);
  MPI_Comm_dup(inter, &twin);
  MPI_Attr_get(twin, keyval, &value, &flag);
  CHECK(flag == 1 && value == &keyval);
  MPI_Topo_test(inter, &kind);
  CHECK_EQUAL(kind, MPI_UNDEFINED);
  returning(inter);
  CHECK_CLASS(MPI_Cart_create(inter, 1, &one, &none, 0, &made), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Graph_create(inter, 1, &none, &none, 0, &made), MPI_ERR_COMM);
  CHECK(made == comm);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&half);
  MPI_Comm_free(&inter);
  MPI_Keyval_free(&keyval);
}

static void duplicate(MPI_Comm comm) {
  const int rank = rank_in(comm);
  MPI_Comm half, inter = halves(comm, &half), twin;
  int first = -1, second = -1;
  MPI_Comm_dup(inter, &twin);
  CHECK_EQUAL(comparison(inter, inter), MPI_IDENT);
  CHECK_EQUAL(comparison(inter, twin), MPI_CONGRUENT);
  CHECK_EQUAL(comparison(inter, half), MPI_UNEQUAL);
  CHECK_EQUAL(remote_size_of(twin), remote_size_of(inter));
  if (rank_in(inter) == 0) { /* the same envelope on both, received the other way round */
    const int out[2] = {rank, 10 + rank};
    MPI_Request requests[2];
    MPI_Isend(&out[0], 1, MPI_INT, 0, 1, inter, &requests[0]);
    MPI_Isend(&out[1], 1, MPI_INT, 0, 1, twin, &requests[1]);
    MPI_Recv(&second, 1, MPI_INT, 0, 1, twin, MPI_STATUS_IGNORE);
    MPI_Recv(&first, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(first == 1 - rank && second == 11 - rank);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&twin);
  CHECK(inter == MPI_COMM_NULL && twin == MPI_COMM_NULL);
  MPI_Comm_free(&half);
}

/* Same processes, other orders: all combinations that MPI_Comm_compare tells apart. */
static void compare(MPI_Comm comm) {
  const int rank = rank_in(comm), side = rank % 2;
  MPI_Comm half, inter = halves(comm, &half), turned_half, turned;
  MPI_Comm_split(comm, side, -rank, &turned_half);
  MPI_Intercomm_create(turned_half, size_of(turned_half) - 1, comm, 1 - side, 5, &turned);
  CHECK_EQUAL(comparison(inter, turned), MPI_SIMILAR);
  CHECK_EQUAL(comparison(inter, comm), MPI_UNEQUAL);
  MPI_Comm_free(&half);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&turned_half);
  MPI_Comm_free(&turned);
}

/* Other leaders than 0; what counts at the leaders only is nonsense elsewhere; both sides use their
 * own bridge rank. */
static void leaders_only(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), side = rank % 2;
  MPI_Comm half, inter;
  MPI_Comm_split(comm, side, rank, &half);
  const int leader = size_of(half) - 1, lead = rank_in(half) == leader;
  const int last_even = (size - 1) / 2 * 2, last_odd = (size - 2) / 2 * 2 + 1;
  MPI_Intercomm_create(half, leader, lead ? comm : MPI_COMM_NULL,
                       lead ? (side == 0 ? last_odd : last_even) : -333, 12, &inter);
  CHECK_EQUAL(remote_size_of(inter), size - size_of(half));
  MPI_Comm_free(&half);
  MPI_Comm_free(&inter);
}

static void wrong_arguments(MPI_Comm comm) {
  MPI_Comm half, inter = halves(comm, &half), made = comm;
  const int side = rank_in(comm) % 2;
  returning(half);
  CHECK_CLASS(MPI_Intercomm_create(half, size_of(half), comm, 0, 1, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Intercomm_create(half, 0, comm, 1 - side, MPI_ANY_TAG, &made), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Intercomm_merge(half, 0, &made), MPI_ERR_COMM);
  const int leads =
      rank_in(half) == 0; /* what is wrong at the leader fails at the others as well */
  CHECK_CLASS(MPI_Intercomm_create(half, 0, comm, MPI_ANY_SOURCE, 1, &made),
              leads ? MPI_ERR_RANK : MPI_ERR_COMM);
  CHECK_CLASS(MPI_Intercomm_create(half, 0, MPI_COMM_NULL, 0, 1, &made), MPI_ERR_COMM);
  CHECK(made == comm);
  MPI_Comm_free(&half);
  MPI_Comm_free(&inter);
}

/* The other leader is one of the own group. */
static void overlap(MPI_Comm comm) {
  MPI_Comm twin, made = comm;
  MPI_Comm_dup(comm, &twin);
  returning(twin);
  CHECK_CLASS(MPI_Intercomm_create(twin, 0, comm, 0, 1, &made), MPI_ERR_COMM);
  CHECK(made == comm);
  MPI_Comm_free(&twin);
}

/* Messages under way on the bridge with other tags, and one of the same communicator's tags in use
 * by both calls. */
static void bridge_in_use(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), side = rank % 2;
  MPI_Comm half, first, second;
  int value = rank, got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_split(comm, side, rank, &half);
  MPI_Isend(&value, 1, MPI_INT, (rank + 1) % size, 7, comm, &request);
  MPI_Intercomm_create(half, 0, comm, 1 - side, 1, &first);
  MPI_Intercomm_create(half, 0, comm, 1 - side, 2, &second);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(got, (rank + size - 1) % size);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQUAL(comparison(first, second), MPI_CONGRUENT);
  MPI_Comm_free(&half);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

/* Rank in the merged communicator for each `high`; an allreduce shows that it works. */
static void merge_once(MPI_Comm comm, MPI_Comm inter, int even_high, int odd_high) {
  const int rank = rank_in(comm), size = size_of(comm), side = rank % 2;
  int sum = 0, low_first = -1;
  MPI_Comm merged;
  MPI_Intercomm_merge(inter, side == 0 ? even_high : odd_high, &merged);
  CHECK_EQUAL(size_of(merged), size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
  CHECK_EQUAL(sum, size * (size - 1) / 2);
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, merged);
  low_first = first % 2;
  if (!even_high != !odd_high) CHECK_EQUAL(low_first, even_high ? 1 : 0);
  CHECK_EQUAL(rank_in(merged), side == low_first
                                   ? rank / 2
                                   : (low_first == 0 ? (size + 1) / 2 : size / 2) + rank / 2);
  MPI_Comm_free(&merged);
}

static void merge(MPI_Comm comm) {
  MPI_Comm half, inter = halves(comm, &half);
  merge_once(comm, inter, 0, 1);
  merge_once(comm, inter, 1, 0);
  merge_once(comm, inter, 0, -5); /* any value but 0 is true */
  merge_once(comm, inter, -5, 0);
  merge_once(comm, inter, 0, 0);
  merge_once(comm, inter, 1, 1);
  MPI_Comm_free(&half);
  MPI_Comm_free(&inter);
}

/* Three groups by rank % 3; the middle one talks to both others over one bridge, with tags that
 * tell them apart. */
static void three_groups(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), group = rank % 3;
  MPI_Comm mine, left = MPI_COMM_NULL, right = MPI_COMM_NULL;
  MPI_Comm_split(comm, group, rank, &mine);
  if (group == 0) MPI_Intercomm_create(mine, 0, comm, 1, 1, &right);
  if (group == 1) MPI_Intercomm_create(mine, 0, comm, 0, 1, &left);
  if (group == 1) MPI_Intercomm_create(mine, 0, comm, 2, 12, &right);
  if (group == 2) MPI_Intercomm_create(mine, 0, comm, 1, 12, &left);
  if (left != MPI_COMM_NULL) CHECK_EQUAL(remote_size_of(left), (size - (group - 1) + 2) / 3);
  if (right != MPI_COMM_NULL) CHECK_EQUAL(remote_size_of(right), (size - (group + 1) + 2) / 3);
  if (left != MPI_COMM_NULL && rank_in(mine) == 0) MPI_Send(&group, 1, MPI_INT, 0, 0, left);
  int got = -1;
  if (right != MPI_COMM_NULL && rank_in(mine) == 0) {
    MPI_Recv(&got, 1, MPI_INT, 0, 0, right, MPI_STATUS_IGNORE);
    CHECK_EQUAL(got, group + 1);
  }
  if (left != MPI_COMM_NULL) MPI_Comm_free(&left);
  if (right != MPI_COMM_NULL) MPI_Comm_free(&right);
  MPI_Comm_free(&mine);
  CHECK(left == MPI_COMM_NULL && right == MPI_COMM_NULL && mine == MPI_COMM_NULL);
}

static const Case cases[] = {
    {"req 5.3.39", "size, rank and group are local, the remote ones have calls of their own", 2,
     questions},
    {"req 5.3.39", "size, rank and group of unequal sides", 5, questions},
    {"req 5.3.37, req 5.3.39, req 5.3.42", "ranks and sources are those of the remote group", 2,
     everybody},
    {"req 5.3.37, req 5.3.39, req 5.3.42", "ranks and sources of unequal sides", 5, everybody},
    {"req 5.3.37", "all point-to-point calls work, short and long", 2, leaders},
    {"req 5.3.38, req 6.2.1", "attributes yes, topologies no", 3, topologies_and_attributes},
    {"req 5.3.40, req 5.3.17, req 5.3.22", "duplicates are congruent, apart, and freed", 3,
     duplicate},
    {"req 5.3.22", "both groups decide how similar intercommunicators are", 5, compare},
    {"req 5.3.41, req 1.2.13", "bridge and remote leader count at the leaders alone", 5,
     leaders_only},
    {"req 5.3.41", "leaders outside, wildcards and intracommunicators are errors", 3,
     wrong_arguments},
    {"req 5.3.37", "groups that overlap are an error", ANY, overlap},
    {"req 5.3.41, req 5.3.44", "messages on the bridge with other tags are left alone", 3,
     bridge_in_use},
    {"req 5.3.43, req 1.2.23", "the low group comes first in a merge", 5, merge},
    {"req 5.3.43", "a merge of one process on each side", 2, merge},
    {"ex 5.14, req 5.3.44", "three groups in a row, over one bridge", 3, three_groups},
    {"ex 5.14, req 5.3.44", "three groups of unequal sizes in a row", 5, three_groups},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
