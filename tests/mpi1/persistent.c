/* SPDX-License-Identifier: BSD-3-Clause
   Persistent requests: made once, started often, with any partner; and what may not be started. */
#include "messages.h"

enum { ROUNDS = 5 };

static Bytes out, in;

/* The arguments are bound, not the data: each start sends what is in the buffer then. */
static void started_often(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int n = size_of(comm);
  const int previous = (me + n - 1) % n;
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    MPI_Request requests[2];
    MPI_Recv_init(in, LONG, MPI_BYTE, previous, 5, comm, &requests[0]);
    MPI_Send_init(out, bytes, MPI_BYTE, (me + 1) % n, 5, comm, &requests[1]);
    const MPI_Request same[2] = {requests[0], requests[1]};
    for (int round = 0; round < ROUNDS; ++round) {
      MPI_Status status = odd_status();
      fill(out, bytes, me + round);
      blank(in, LONG);
      if (round % 2 == 0) MPI_Startall(2, requests);
      for (int i = 1; round % 2 == 1 && i >= 0; --i) MPI_Start(&requests[i]);
      MPI_Wait(&requests[0], &status);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      CHECK_STATUS(status, previous, 5, bytes);
      CHECK(intact(in, bytes, previous + round) && untouched(in + bytes, LONG - bytes));
      CHECK(memcmp(same, requests, sizeof same) == 0);
    }
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  }
}

/* Making a request sends and receives nothing: a message goes to the receive that is posted, not to
 * the one made first. */
static void making_communicates_nothing(MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status = odd_status();
  int flag = 1;
  if (rank_in(comm) == 0) {
    MPI_Send_init(out, 3, MPI_BYTE, 1, 5, comm, &request);
    tell(1, comm);
    MPI_Send(out, 4, MPI_BYTE, 1, 5, comm);
    MPI_Request_free(&request);
    return;
  }
  blank(in, SHORT);
  MPI_Recv_init(in, SHORT, MPI_BYTE, 0, 5, comm, &request);
  hear(0, comm);
  MPI_Recv(in + SHORT, SHORT, MPI_BYTE, 0, 5, comm, &status);
  CHECK_STATUS(status, 0, 5, 4);
  CHECK(untouched(in, SHORT));
  MPI_Iprobe(0, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
  CHECK_EQUAL(flag, 0);
  MPI_Request_free(&request);
}

typedef int MakeSend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/* A start is local, in every mode: the partner posts its receives only after it heard of all. */
static void starting_is_local(MPI_Comm comm) {
  static MakeSend* const modes[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init};
  static char buffer[2 * (LONG + MPI_BSEND_OVERHEAD)];
  MPI_Request requests[6];
  void* address;
  int size;
  if (rank_in(comm) == 0) {
    fill(out, LONG, 1);
    MPI_Buffer_attach(buffer, (int)sizeof buffer);
    for (int i = 0; i < 6; ++i)
      modes[i / 2](out, both_sizes[i % 2], MPI_BYTE, 1, i, comm, &requests[i]);
    MPI_Startall(6, requests);
    tell(1, comm);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 6; ++i) MPI_Request_free(&requests[i]);
    MPI_Buffer_detach(&address, &size);
    return;
  }
  hear(0, comm);
  for (int i = 5; i >= 0; --i) {
    MPI_Status status = odd_status();
    MPI_Probe(0, i, comm, &status);
    CHECK_STATUS(status, 0, i, both_sizes[i % 2]);
    MPI_Recv(in, LONG, MPI_BYTE, 0, i, comm, MPI_STATUS_IGNORE);
    CHECK(intact(in, both_sizes[i % 2], 1));
  }
}

static void with_ordinary_partners(MPI_Comm comm) {
  MPI_Request request;
  if (rank_in(comm) == 0) {
    for (int i = 0; i < ROUNDS; ++i) {
      fill(out, SHORT, i);
      if (i % 2 == 0) MPI_Send(out, SHORT, MPI_BYTE, 1, 5, comm);
      if (i % 2 == 1) MPI_Ssend(out, SHORT, MPI_BYTE, 1, 5, comm);
    }
    return;
  }
  MPI_Recv_init(in, LONG, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Status status = odd_status();
    int flag = 0;
    MPI_Start(&request);
    while (!flag) MPI_Test(&request, &flag, &status);
    CHECK_STATUS(status, 0, 5, SHORT);
    CHECK(intact(in, SHORT, i));
  }
  MPI_Request_free(&request);
}

/* Freed while active: the handle is null at once, the message arrives. */
static void freed_while_active(MPI_Comm comm) {
  MPI_Request request;
  for (int s = 0; s < 2; ++s) {
    if (rank_in(comm) == 0) {
      fill(out, both_sizes[s], s);
      MPI_Ssend_init(out, both_sizes[s], MPI_BYTE, 1, 5, comm, &request);
      MPI_Start(&request);
      MPI_Request_free(&request);
      CHECK(request == MPI_REQUEST_NULL);
      tell(1, comm);
      hear(1, comm);
    } else {
      hear(0, comm);
      MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
      CHECK(intact(in, both_sizes[s], s));
      tell(0, comm);
    }
  }
}

/* The type and the communicator may be freed when the request was made; it goes on with them. */
static void outlives_its_arguments(MPI_Comm comm) {
  const int me = rank_in(comm);
  MPI_Comm other;
  MPI_Datatype pairs;
  MPI_Request requests[2];
  MPI_Comm_dup(comm, &other);
  MPI_Type_vector(4, 1, 2, MPI_BYTE, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Recv_init(in, 4, MPI_BYTE, me, 5, other, &requests[0]);
  MPI_Send_init(out, 1, pairs, me, 5, other, &requests[1]);
  MPI_Type_free(&pairs);
  MPI_Comm_free(&other);
  for (int round = 0; round < 2; ++round) {
    fill(out, 8, round);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; ++i) CHECK_EQUAL(in[i], pattern(round, 2 * i));
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

static void what_cannot_be_started(MPI_Comm comm) {
  MPI_Errhandler self, world;
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &self);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world);
  returning(MPI_COMM_SELF);
  returning(MPI_COMM_WORLD);
  returning(comm);
  MPI_Request null = MPI_REQUEST_NULL;
  MPI_Request active, single;
  CHECK_CLASS(MPI_Start(&null), MPI_ERR_REQUEST);
  MPI_Irecv(in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, 5, comm, &single);
  CHECK_CLASS(MPI_Start(&single), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Startall(1, &single), MPI_ERR_REQUEST);
  MPI_Recv_init(in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, 6, comm, &active);
  MPI_Start(&active);
  CHECK_CLASS(MPI_Start(&active), MPI_ERR_REQUEST);
  MPI_Cancel(&single);
  MPI_Wait(&single, MPI_STATUS_IGNORE);
  MPI_Cancel(&active);
  MPI_Wait(&active, MPI_STATUS_IGNORE);
  CHECK_EQUAL(MPI_Start(&active), MPI_SUCCESS); /* the failed start did no harm */
  MPI_Cancel(&active);
  MPI_Wait(&active, MPI_STATUS_IGNORE);
  MPI_Request_free(&active);
  CHECK_CLASS(MPI_Request_free(&null), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Cancel(&null), MPI_ERR_REQUEST);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
  MPI_Errhandler_free(&self);
  MPI_Errhandler_free(&world);
}

static const Case cases[] = {
    {"req 2.3.62, req errata 1.24",
     "a persistent request keeps its handle and arguments from start to start", ANY, started_often},
    {"req 2.3.62", "making a request communicates nothing", 2, making_communicates_nothing},
    {"req 2.3.62, req 2.3.63, req 2.3.55", "a start is local in every mode", 2, starting_is_local},
    {"req 2.3.63", "persistent receives take ordinary messages", 2, with_ordinary_partners},
    {"req 2.3.64", "a request that is freed while active completes its communication", 2,
     freed_while_active},
    {"req 2.3.62", "a request outlives its datatype and communicator", ANY, outlives_its_arguments},
    {"req 2.3.65", "what is null, active or not persistent cannot be started", ANY,
     what_cannot_be_started},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
