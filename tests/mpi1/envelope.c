/* SPDX-License-Identifier: BSD-3-Clause
   Counts and envelopes: what a message is matched by, which ranks and tags are valid, and messages
   to oneself. */
#include "messages.h"

static Bytes out, in;

static void counts_are_entries(MPI_Comm comm) {
  double numbers[4] = {1, 2, 3, 4};
  MPI_Status status = odd_status();
  if (rank_in(comm) == 0) {
    MPI_Send(numbers, 3, MPI_DOUBLE, 1, 5, comm);
    return;
  }
  double got[4] = {-1, -1, -1, -1};
  MPI_Recv(got, 4, MPI_DOUBLE, 0, 5, comm, &status);
  CHECK_EQUAL(count_of(&status, MPI_DOUBLE), 3);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 3 * (int)sizeof(double));
  CHECK(got[0] == 1 && got[1] == 2 && got[2] == 3 && got[3] == -1);
}

/* The empty message completes a synchronous send only when it is matched, and only by a receive
 * that fits it. */
static void empty_messages(MPI_Comm comm) {
  MPI_Status status = odd_status();
  if (rank_in(comm) == 0) {
    MPI_Request request;
    int flag = 1;
    MPI_Issend(NULL, 0, MPI_INT, 1, 5, comm, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK_EQUAL(flag, 0);
    MPI_Send("x", 1, MPI_CHAR, 1, 6, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  blank(in, 8);
  MPI_Recv(in, 8, MPI_CHAR, 0, 6, comm, &status);
  CHECK_STATUS(status, 0, 6, 1);
  blank(in, 8);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
  CHECK_STATUS(status, 0, 5, 0);
  MPI_Recv(in, 8, MPI_CHAR, 0, 5, comm, &status);
  CHECK_STATUS(status, 0, 5, 0);
  CHECK(untouched(in, 8));
}

/* A large buffer takes the first message, however short, and a packed receive takes the first one,
 * whatever its type. */
static void neither_type_nor_length_match(MPI_Comm comm) {
  MPI_Status status = odd_status();
  if (rank_in(comm) == 0) {
    const float numbers[3] = {1, 2, 3};
    fill(out, 80, 1);
    MPI_Send(out, 4, MPI_BYTE, 1, 5, comm);
    MPI_Send(out, 80, MPI_BYTE, 1, 5, comm);
    MPI_Send(numbers, 3, MPI_FLOAT, 1, 5, comm);
    MPI_Send(out, 2, MPI_BYTE, 1, 5, comm);
    return;
  }
  MPI_Recv(in, 80, MPI_BYTE, 0, 5, comm, &status);
  CHECK_STATUS(status, 0, 5, 4);
  MPI_Recv(in, 80, MPI_BYTE, 0, 5, comm, &status);
  CHECK_STATUS(status, 0, 5, 80);
  CHECK(intact(in, 80, 1));
  MPI_Recv(in, 80, MPI_PACKED, 0, 5, comm, &status);
  CHECK_STATUS(status, 0, 5, 3 * (int)sizeof(float));
  MPI_Recv(in, 80, MPI_BYTE, 0, 5, comm, &status);
  CHECK_STATUS(status, 0, 5, 2);
}

/* Ranks 1 and 2 send with two tags on two communicators; rank 0 picks them out in an order of its
 * own. */
static void source_tag_and_communicator_match(MPI_Comm comm) {
  MPI_Comm pair[2] = {comm, MPI_COMM_NULL};
  MPI_Comm_dup(comm, &pair[1]);
  const int me = rank_in(comm);
  MPI_Request requests[4];
  int values[4];
  for (int i = 0; me != 0 && i < 4; ++i) {
    values[i] = 100 * me + i;
    MPI_Isend(&values[i], 1, MPI_INT, 0, i % 2, pair[i / 2], &requests[i]);
  }
  for (int i = 7; me == 0 && i >= 0; --i) {
    const int source = 1 + i % 2;
    const int which = i / 2;
    int value = 0;
    MPI_Status status = odd_status();
    MPI_Recv(&value, 1, MPI_INT, source, which % 2, pair[which / 2], &status);
    CHECK_EQUAL(value, 100 * source + which);
    CHECK_STATUS(status, source, which % 2, (int)sizeof(int));
  }
  if (me != 0) MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&pair[1]);
}

static void every_call_wants_a_rank(MPI_Comm comm, int rank, int receives_too) {
  MPI_Request request;
  int flag;
  CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, rank, 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Ssend(out, 1, MPI_BYTE, rank, 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Rsend(out, 1, MPI_BYTE, rank, 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Bsend(out, 1, MPI_BYTE, rank, 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Isend(out, 1, MPI_BYTE, rank, 0, comm, &request), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Issend(out, 1, MPI_BYTE, rank, 0, comm, &request), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Ibsend(out, 1, MPI_BYTE, rank, 0, comm, &request), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Send_init(out, 1, MPI_BYTE, rank, 0, comm, &request), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Sendrecv(out, 1, MPI_BYTE, rank, 0, in, 1, MPI_BYTE, MPI_PROC_NULL, 0, comm,
                           MPI_STATUS_IGNORE),
              MPI_ERR_RANK);
  if (!receives_too) return;
  CHECK_CLASS(MPI_Recv(in, 1, MPI_BYTE, rank, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Irecv(in, 1, MPI_BYTE, rank, 0, comm, &request), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Recv_init(in, 1, MPI_BYTE, rank, 0, comm, &request), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Probe(rank, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Iprobe(rank, 0, comm, &flag, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Sendrecv(out, 1, MPI_BYTE, MPI_PROC_NULL, 0, in, 1, MPI_BYTE, rank, 0, comm,
                           MPI_STATUS_IGNORE),
              MPI_ERR_RANK);
}

static void ranks_outside_the_group(MPI_Comm comm) {
  returning(comm);
  every_call_wants_a_rank(comm, size_of(comm), 1);
  every_call_wants_a_rank(comm, -12345, 1);
  every_call_wants_a_rank(comm, MPI_ANY_SOURCE, 0);
  CHECK_EQUAL(MPI_Send(out, 1, MPI_BYTE, MPI_PROC_NULL, 0, comm), MPI_SUCCESS);
  CHECK_EQUAL(MPI_Recv(in, 1, MPI_BYTE, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* The first and the last rank are valid, from and to everybody. */
static void ranks_of_the_group(MPI_Comm comm) {
  const int n = size_of(comm);
  const int ends[2] = {0, n - 1};
  for (int e = 0; e < 2; ++e) {
    MPI_Request request;
    const int me = rank_in(comm);
    MPI_Isend(&me, 1, MPI_INT, ends[e], e, comm, &request);
    for (int i = 0; me == ends[e] && i < n; ++i) {
      int value = -1;
      MPI_Recv(&value, 1, MPI_INT, i, e, comm, MPI_STATUS_IGNORE);
      CHECK_EQUAL(value, i);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* Rank 0 on one side, 1 and 2 on the other: valid is what the other group has. */
static void remote_ranks(MPI_Comm comm) {
  MPI_Comm local, inter;
  const int me = rank_in(comm);
  MPI_Comm_split(comm, me == 0, me, &local);
  MPI_Intercomm_create(local, 0, comm, me == 0 ? 1 : 0, 0, &inter);
  returning(inter);
  CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, me == 0 ? 2 : 1, 0, inter), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Recv(in, 1, MPI_BYTE, me == 0 ? 2 : 1, 0, inter, MPI_STATUS_IGNORE),
              MPI_ERR_RANK);
  MPI_Status status = odd_status();
  int value = -1;
  if (me == 0) {
    for (int i = 0; i < 2; ++i) MPI_Send(&i, 1, MPI_INT, i, 3, inter);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, inter, &status);
    CHECK_STATUS(status, 1, 4, (int)sizeof(int));
    CHECK_EQUAL(value, 77);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 3, inter, &status);
    CHECK_STATUS(status, 0, 3, (int)sizeof(int));
    CHECK_EQUAL(value, me - 1);
    value = 77;
    if (me == 2) MPI_Send(&value, 1, MPI_INT, 0, 4, inter);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

static int tag_limit(MPI_Comm comm) {
  int flag = 0;
  int* limit = NULL;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, (void*)&limit, &flag);
  CHECK(flag && limit != NULL && *limit >= 32767);
  return flag ? *limit : 32767;
}

static void tags_up_to_the_limit(MPI_Comm comm) {
  const int limit = tag_limit(MPI_COMM_WORLD);
  const int tags[3] = {0, 32767, limit};
  for (int i = 0; i < 3; ++i) {
    MPI_Status status = odd_status();
    if (rank_in(comm) == 0) MPI_Send(&i, 1, MPI_INT, 1, tags[i], comm);
    if (rank_in(comm) != 1) continue;
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, 0, i == 0 ? MPI_ANY_TAG : tags[i], comm, &status);
    CHECK_STATUS(status, 0, tags[i], (int)sizeof(int));
    CHECK_EQUAL(value, i);
  }
}

static void wrong_tags(MPI_Comm comm) {
  returning(comm);
  MPI_Request request;
  int flag;
  const int tags[2] = {-12345, MPI_ANY_TAG};
  for (int i = 0; i < 2; ++i) {
    CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, 0, tags[i], comm), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Bsend(out, 1, MPI_BYTE, 0, tags[i], comm), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Issend(out, 1, MPI_BYTE, 0, tags[i], comm, &request), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Rsend_init(out, 1, MPI_BYTE, 0, tags[i], comm, &request), MPI_ERR_TAG);
    CHECK_CLASS(
        MPI_Sendrecv(out, 1, MPI_BYTE, 0, tags[i], in, 1, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE),
        MPI_ERR_TAG);
  }
  CHECK_CLASS(MPI_Recv(in, 1, MPI_BYTE, 0, -12345, comm, MPI_STATUS_IGNORE), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Irecv(in, 1, MPI_BYTE, 0, -12345, comm, &request), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Iprobe(0, -12345, comm, &flag, MPI_STATUS_IGNORE), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, MPI_PROC_NULL, MPI_ANY_TAG, comm), MPI_ERR_TAG);
  const int limit = tag_limit(MPI_COMM_WORLD);
  if (limit < limit + 1LL && limit != 0x7fffffff) {
    CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, 0, limit + 1, comm), MPI_ERR_TAG);
  }
}

/* There is no "any communicator". Errors without one go to that of the process itself. */
static void no_communicator(MPI_Comm comm) {
  (void)comm;
  MPI_Errhandler self, world;
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &self);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world);
  returning(MPI_COMM_SELF);
  returning(MPI_COMM_WORLD);
  CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Recv(in, 1, MPI_BYTE, 0, 0, MPI_COMM_NULL, MPI_STATUS_IGNORE), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Probe(0, 0, MPI_COMM_NULL, MPI_STATUS_IGNORE), MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
  MPI_Errhandler_free(&self);
  MPI_Errhandler_free(&world);
}

/* The same group, source and tag: the communicator alone tells the messages apart, also from those
 * of collectives. */
static void domains_do_not_interfere(MPI_Comm comm) {
  MPI_Comm other;
  MPI_Comm_dup(comm, &other);
  const int me = rank_in(comm);
  int values[3] = {1, 2, -1};
  MPI_Request requests[2];
  if (me == 0) {
    MPI_Isend(&values[0], 1, MPI_INT, 1, 5, comm, &requests[0]);
    MPI_Isend(&values[1], 1, MPI_INT, 1, 5, other, &requests[1]);
    MPI_Bcast(&values[2], 1, MPI_INT, 0, other);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (me == 1) {
    int any = 0;
    int second = 0;
    MPI_Status status = odd_status();
    MPI_Irecv(&any, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &requests[0]);
    MPI_Bcast(&values[2], 1, MPI_INT, 0, other);
    MPI_Wait(&requests[0], &status);
    CHECK_STATUS(status, 0, 5, (int)sizeof(int));
    CHECK_EQUAL(any, 2);
    int flag = 1;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE);
    CHECK_EQUAL(flag, 0);
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    CHECK_EQUAL(second, 1);
  }
  MPI_Comm_free(&other);
}

static void to_oneself(MPI_Comm comm) {
  const int me = rank_in(comm);
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    MPI_Request request;
    MPI_Status status = odd_status();
    fill(out, bytes, me);
    blank(in, LONG);
    MPI_Isend(out, bytes, MPI_BYTE, me, 5, comm, &request);
    MPI_Probe(me, MPI_ANY_TAG, comm, &status);
    CHECK_STATUS(status, me, 5, bytes);
    MPI_Recv(in, LONG, MPI_BYTE, MPI_ANY_SOURCE, 5, comm, &status);
    CHECK_STATUS(status, me, 5, bytes);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(intact(in, bytes, me) && untouched(in + bytes, LONG - bytes));
    MPI_Irecv(in, bytes, MPI_BYTE, me, 6, comm, &request);
    fill(out, bytes, me + 1);
    MPI_Ssend(out, bytes, MPI_BYTE, me, 6, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(intact(in, bytes, me + 1));
    blank(in, LONG);
    MPI_Sendrecv(out, bytes, MPI_BYTE, me, 7, in, LONG, MPI_BYTE, me, 7, comm, &status);
    CHECK_STATUS(status, me, 7, bytes);
    CHECK(intact(in, bytes, me + 1) && untouched(in + bytes, LONG - bytes));
  }
}

static void buffered_to_oneself(MPI_Comm comm) {
  static char buffer[LONG + MPI_BSEND_OVERHEAD];
  void* address;
  int size;
  MPI_Buffer_attach(buffer, (int)sizeof buffer);
  for (int s = 0; s < 2; ++s) {
    MPI_Status status = odd_status();
    fill(out, both_sizes[s], 3);
    MPI_Bsend(out, both_sizes[s], MPI_BYTE, rank_in(comm), 5, comm);
    MPI_Recv(in, LONG, MPI_BYTE, rank_in(comm), 5, comm, &status);
    CHECK_STATUS(status, rank_in(comm), 5, both_sizes[s]);
    CHECK(intact(in, both_sizes[s], 3));
  }
  MPI_Buffer_detach(&address, &size);
}

static const Case cases[] = {
    {"req 2.3.1", "a count is one of entries, not of bytes", 2, counts_are_entries},
    {"req 2.3.1", "an empty message is a message", 2, empty_messages},
    {"req 2.3.2", "neither datatype nor length decide about matching", 2,
     neither_type_nor_length_match},
    {"req 2.3.2", "source, tag and communicator decide about matching", 3,
     source_tag_and_communicator_match},
    {"req 2.3.3", "ranks outside the group are errors", ANY, ranks_outside_the_group},
    {"req 2.3.3", "all ranks of the group are valid", ANY, ranks_of_the_group},
    {"req 2.3.3", "an intercommunicator takes the ranks of the other group", 3, remote_ranks},
    {"req 2.3.4", "tags from 0 to MPI_TAG_UB are valid", 2, tags_up_to_the_limit},
    {"req 2.3.4", "other tags are errors, and a send takes no wild card", ANY, wrong_tags},
    {"req 2.3.4", "there is no wild card for the communicator", 1, no_communicator},
    {"req 2.3.5", "messages of different communicators never meet", 2, domains_do_not_interfere},
    {"req 2.3.6", "a process may send to itself", ANY, to_oneself},
    {"req 2.3.6", "a buffered send to oneself completes before its receive", ANY,
     buffered_to_oneself},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
