// SPDX-License-Identifier: BSD-3-Clause
// The Sessions Model: sessions alone, several at once, again, and together with the World Model.
#include <pthread.h>

#include "sessions.h"

static void alone(void) {
  MPI_Session session = open_session();
  MPI_Comm comm = comm_of(session, "mpi://WORLD", "alone");
  use(comm);
  MPI_Comm twin = MPI_COMM_NULL;
  CHECK(MPI_Comm_dup(comm, &twin) == MPI_SUCCESS);
  use(twin);
  int *bound = NULL, flag = 0, initialized = -1;
  CHECK(MPI_Comm_get_attr(twin, MPI_TAG_UB, &bound, &flag) == MPI_SUCCESS && flag &&
        *bound >= 32767);
  CHECK(MPI_Initialized(&initialized) == MPI_SUCCESS);
  MPI_Comm self = comm_of(session, "MPI://self", "one");
  CHECK(size_of(self) == 1);
  use(self);
  MPI_Comm_free(&self);
  MPI_Comm_free(&twin);
  CHECK(MPI_Comm_disconnect(&comm) == MPI_SUCCESS);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
  CHECK(session == MPI_SESSION_NULL);
}

// Functions without a communicator work where there are sessions only.
static void without_communicator(void) {
  MPI_Session session = open_session();
  MPI_Comm comm = comm_of(session, "mpi://WORLD", "no communicator");
  const int rank = rank_in(comm), size = size_of(comm);
  MPI_Datatype pair;
  CHECK(MPI_Type_contiguous(2, MPI_INT, &pair) == MPI_SUCCESS &&
        MPI_Type_commit(&pair) == MPI_SUCCESS);
  int out[2] = {rank, -rank}, in[2] = {-1, -1};
  MPI_Request request;
  MPI_Message message;
  CHECK(MPI_Isend(out, 1, pair, (rank + 1) % size, 1, comm, &request) == MPI_SUCCESS);
  CHECK(MPI_Mprobe(MPI_ANY_SOURCE, 1, comm, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Mrecv(in, 1, pair, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(in[0] == (rank + size - 1) % size && in[1] == -in[0]);
  CHECK(MPI_Mprobe(MPI_PROC_NULL, 1, comm, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Imrecv(in, 1, pair, &message, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  int one = 1, two = 2;
  CHECK(MPI_Reduce_local(&one, &two, 1, MPI_INT, MPI_SUM) == MPI_SUCCESS && two == 3);
  MPI_Type_free(&pair);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

// req dynamic 10.6
static void two_at_once(void) {
  MPI_Session one = open_session(), two = open_session();
  MPI_Comm first = comm_of(one, "mpi://WORLD", "first");
  MPI_Comm second = comm_of(two, "mpi://WORLD", "second");
  use(first);
  use(second);
  MPI_Comm_free(&first);
  CHECK(MPI_Session_finalize(&one) == MPI_SUCCESS);
  use(second);
  MPI_Comm_free(&second);
  CHECK(MPI_Session_finalize(&two) == MPI_SUCCESS);
}

// The same tag serves different groups, and different tags the same group.
static void tags_and_parts(void) {
  MPI_Session session = open_session();
  MPI_Group all = group_of(session, "mpi://WORLD"), part;
  int size, rank;
  MPI_Group_size(all, &size);
  MPI_Group_rank(all, &rank);
  int odd[1][3] = {{rank % 2, size - 1, 2}};
  CHECK(MPI_Group_range_incl(all, 1, odd, &part) == MPI_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL, all_comm = comm_of(session, "mpi://WORLD", "same");
  CHECK(MPI_Comm_create_from_group(part, "same", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
        MPI_SUCCESS);
  use(comm);
  use(all_comm);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&all_comm);
  CHECK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "empty", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                   &comm) == MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
  MPI_Group_free(&part);
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
}

// Two processes create two communicators in opposite orders: the first of a group does not wait for
// the others here, so that without the tags each would take the one for the other.
static void tags_against_order(void) {
  MPI_Session session = open_session();
  MPI_Group all = group_of(session, "mpi://WORLD"), two;
  int size, rank, first_two[] = {0, 1};
  MPI_Group_size(all, &size);
  MPI_Group_rank(all, &rank);
  if (size > 1 && rank < 2) {
    MPI_Comm comms[2];
    MPI_Group_incl(all, 2, first_two, &two);
    for (int i = 0; i < 2; ++i) {
      const int which = rank == 0 ? i : 1 - i;
      CHECK(MPI_Comm_create_from_group(two, which == 0 ? "one" : "other", MPI_INFO_NULL,
                                       MPI_ERRORS_RETURN, &comms[which]) == MPI_SUCCESS);
    }
    for (int i = 0; i < 2; ++i) {
      int value = i;
      if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, comms[i]);
      if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, comms[i], MPI_STATUS_IGNORE);
      CHECK(value == i);
    }
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Group_free(&two);
  }
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
}

enum { kThreads = 2, kRounds = 10 };
static int wrong_in[kThreads];

// Each thread opens its own session; only the tags tell whose communicator is whose.
static void* create_in_thread(void* number) {
  const int me = *(int*)number;
  char tag[32];
  MPI_Session session;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
    return ++wrong_in[me], NULL;
  MPI_Group group;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Comm comm;
    int mine = me, sum = -1, size = 0;
    snprintf(tag, sizeof tag, "thread %d", me);
    if (MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) !=
        MPI_SUCCESS)
      return ++wrong_in[me], NULL;
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != me * size) ++wrong_in[me];
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return NULL;
}

static void threads(void) {
  pthread_t handles[kThreads];
  static int numbers[kThreads] = {0, 1};
  for (int i = 0; i < kThreads; ++i)
    CHECK(pthread_create(&handles[i], NULL, create_in_thread, &numbers[i]) == 0);
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(handles[i], NULL);
    CHECK(wrong_in[i] == 0);
  }
}

static void between_groups(void) {
  MPI_Session session = open_session();
  MPI_Group all = group_of(session, "mpi://WORLD"), halves[2];
  int size, rank;
  MPI_Group_size(all, &size);
  MPI_Group_rank(all, &rank);
  if (size > 1) {
    int ranges[2][1][3] = {{{0, size - 1, 2}}, {{1, size - 1, 2}}};
    MPI_Group_range_incl(all, 1, ranges[0], &halves[0]);
    MPI_Group_range_incl(all, 1, ranges[1], &halves[1]);
    const int mine = rank % 2;
    int sizes[2];
    MPI_Group_size(halves[0], &sizes[0]);
    MPI_Group_size(halves[1], &sizes[1]);
    MPI_Comm inter = MPI_COMM_NULL, merged = MPI_COMM_NULL;
    CHECK(MPI_Intercomm_create_from_groups(halves[mine], sizes[mine] - 1, halves[1 - mine],
                                           sizes[1 - mine] - 1, "between", MPI_INFO_NULL,
                                           MPI_ERRORS_RETURN, &inter) == MPI_SUCCESS);
    int remote = -1;
    CHECK(MPI_Comm_remote_size(inter, &remote) == MPI_SUCCESS && remote == sizes[1 - mine]);
    CHECK(MPI_Intercomm_merge(inter, mine, &merged) == MPI_SUCCESS);
    use(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    // A leader that knows no other group: an error at all of its group.
    const int code = MPI_Intercomm_create_from_groups(halves[mine], 0, MPI_GROUP_NULL, 0, "nobody",
                                                      MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
    CHECK(class_of(code) == MPI_ERR_GROUP);
    MPI_Group_free(&halves[0]);
    MPI_Group_free(&halves[1]);
  }
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
}

extern MPI_Comm left_over;
MPI_Comm left_over;  // by a session that is finalized all the same; seen from outside, so that it
                     // is not optimized away

static void both_models(int* argc, char*** argv) {
  MPI_Session early = open_session(), late;
  MPI_Comm before = comm_of(early, "mpi://WORLD", "before");
  int flag = -1;
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && !flag);
  use(before);
  CHECK(MPI_Init(argc, argv) == MPI_SUCCESS);
  use(MPI_COMM_WORLD);
  use(before);
  late = open_session();
  MPI_Comm_free(&before);
  CHECK(MPI_Session_finalize(&early) == MPI_SUCCESS);
  use(MPI_COMM_WORLD);
  MPI_Comm during = comm_of(late, "mpi://WORLD", "during");
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm again = MPI_COMM_NULL;
  CHECK(MPI_Comm_create_from_group(group, "of the world", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                   &again) == MPI_SUCCESS);
  use(again);
  MPI_Comm_free(&again);
  MPI_Group_free(&group);
  CHECK(MPI_Finalize() == MPI_SUCCESS);
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag);
  use(during);
  MPI_Comm_free(&during);
  left_over = comm_of(late, "mpi://WORLD", "left over");
  use(left_over);
  CHECK(MPI_Session_finalize(&late) == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  alone();
  without_communicator();
  two_at_once();
  tags_and_parts();
  tags_against_order();
  threads();
  between_groups();
  both_models(&argc, &argv);
  alone();  // after all was finalized
  return failures == 0 ? 0 : 1;
}
