// SPDX-License-Identifier: BSD-3-Clause
// Communicators made by groups that overlap, under one tag, while a process that is needed first is
// late: each must get its own communicator.
#include <vector>

#include "check.h"

namespace {

int me;

constexpr int kTag = 7;
constexpr int kReady = 1;

MPI_Comm world() {
  return MPI_COMM_WORLD;
}

MPI_Group pair_with_last(int other) {
  MPI_Group all, pair;
  MPI_Comm_group(world(), &all);
  const int ranks[] = {other, 2};
  MPI_Group_incl(all, 2, ranks, &pair);
  MPI_Group_free(&all);
  return pair;
}

// The communicator of {other, 2}, made and tried by its members.
MPI_Comm make_pair(int other) {
  MPI_Group pair = pair_with_last(other);
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK(MPI_Comm_create_group(world(), pair, kTag, &comm) == MPI_SUCCESS);
  MPI_Group_free(&pair);
  return comm;
}

void try_pair(MPI_Comm comm, int other) {
  int sum = -1;
  CHECK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(sum == other + 2);
  MPI_Comm_free(&comm);
}

// {0, 2} is made before {1, 2} at rank 2, but rank 1 has sent its part before rank 0 begins: the
// first of a group does not wait for the others.
void test_create_group() {
  MPI_Comm of[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  if (me == 0) MPI_Recv(nullptr, 0, MPI_INT, 1, kReady, world(), MPI_STATUS_IGNORE);
  for (const int other : {0, 1}) {
    if (me == other || me == 2) of[other] = make_pair(other);
  }
  if (me == 1) MPI_Send(nullptr, 0, MPI_INT, 0, kReady, world());
  for (const int other : {0, 1}) {
    if (me == other || me == 2) try_pair(of[other], other);
  }
}

// Tags that differ in a high bit only are different.
void test_large_tags() {
  constexpr int tags[] = {5, 5 + (1 << 30)};
  MPI_Group all;
  MPI_Comm_group(world(), &all);
  MPI_Comm of[2];
  for (int i = 0; i < 2; ++i) {
    const int which = me == 0 ? i : 1 - i;
    const int ranks[] = {0, 1 + which};
    MPI_Group pair;
    MPI_Group_incl(all, 2, ranks, &pair);
    of[which] = MPI_COMM_NULL;
    if (me == 0 || me == 1 + which)
      CHECK(MPI_Comm_create_group(world(), pair, tags[which], &of[which]) == MPI_SUCCESS);
    MPI_Group_free(&pair);
  }
  for (int which = 0; which < 2; ++which) {
    if (of[which] == MPI_COMM_NULL) continue;
    int sum = -1;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, of[which]);
    CHECK(sum == 1 + which);
    MPI_Comm_free(&of[which]);
  }
  MPI_Group_free(&all);
}

void pass_time() {
  for (int i = 0; i < 300; ++i) {
    int in = 0;
    MPI_Sendrecv(&i, 1, MPI_INT, me, 2, &in, 1, MPI_INT, me, 2, world(), MPI_STATUS_IGNORE);
  }
}

// Rank `other` and rank 0 are the leaders; the remote group must be the other one's.
void join(MPI_Comm local, int remote_leader, int their_size, int their_first) {
  MPI_Comm inter;
  CHECK(MPI_Intercomm_create(local, 0, world(), remote_leader, kTag, &inter) == MPI_SUCCESS);
  int size = -1;
  MPI_Comm_remote_size(inter, &size);
  CHECK(size == their_size);
  int first = -1;
  MPI_Request request;
  MPI_Irecv(&first, 1, MPI_INT, 0, 3, inter, &request);
  if (rank_in(local) == 0) {
    for (int i = 0; i < size; ++i) MPI_Send(&me, 1, MPI_INT, i, 3, inter);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(first == their_first);
  MPI_Comm_free(&inter);
}

// Rank 0 meets rank 1, then the group of ranks 2 and 3; rank 1 begins when rank 2 has begun.
void test_intercommunicators() {
  MPI_Comm local;
  MPI_Comm_split(world(), me < 2 ? me : 2, me, &local);
  if (me == 0) {
    join(local, 1, 1, 1);
    join(local, 2, size_of(world()) - 2, 2);
  } else if (me == 1) {
    MPI_Recv(nullptr, 0, MPI_INT, 2, kReady, world(), MPI_STATUS_IGNORE);
    pass_time();
    join(local, 0, 1, 0);
  } else {
    if (me == 2) MPI_Send(nullptr, 0, MPI_INT, 1, kReady, world());
    join(local, 0, 1, 0);
  }
  MPI_Comm_free(&local);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = rank_in(world());
  test_create_group();
  test_large_tags();
  for (int i = 0; i < 20; ++i) test_intercommunicators();
  return finish();
}
