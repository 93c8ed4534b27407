/* SPDX-License-Identifier: BSD-3-Clause
   MPI_Cancel: an operation either takes place or leaves no trace, and its request is completed as
   any other. */
#include "messages.h"

static Bytes out, in;

static void a_receive_that_nothing_matches(MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status = odd_status();
  blank(in, SHORT);
  MPI_Irecv(in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  const MPI_Request same = request;
  MPI_Cancel(&request);
  CHECK(request == same);
  MPI_Wait(&request, &status);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQUAL(cancelled(&status), 1);
  CHECK(untouched(in, SHORT));
}

/* The message that would have matched goes to the receive that follows. */
static void not_in_the_way_of_others(MPI_Comm comm) {
  if (rank_in(comm) == 0) {
    for (int s = 0; s < 2; ++s) {
      hear(1, comm);
      fill(out, both_sizes[s], s);
      MPI_Send(out, both_sizes[s], MPI_BYTE, 1, 5, comm);
    }
    return;
  }
  for (int s = 0; s < 2; ++s) {
    static Bytes never;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int flag = 0;
    blank(never, LONG);
    MPI_Irecv(never, LONG, MPI_BYTE, 0, 5, comm, &requests[0]);
    MPI_Irecv(in, LONG, MPI_BYTE, 0, 5, comm, &requests[1]);
    MPI_Cancel(&requests[0]);
    tell(0, comm);
    MPI_Wait(&requests[1], &statuses[1]);
    while (!flag) MPI_Test(&requests[0], &flag, &statuses[0]);
    CHECK(cancelled(&statuses[0]) == 1 && cancelled(&statuses[1]) == 0);
    CHECK_STATUS(statuses[1], 0, 5, both_sizes[s]);
    CHECK(intact(in, both_sizes[s], s) && untouched(never, LONG));
  }
}

/* Every completion call can complete it. */
static void in_every_completion_call(MPI_Comm comm) {
  for (int way = 0; way < 6; ++way) {
    MPI_Request request;
    MPI_Status status = odd_status();
    int index, flag, count;
    MPI_Irecv(in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, 5, comm, &request);
    MPI_Cancel(&request);
    if (way == 0) MPI_Waitall(1, &request, &status);
    if (way == 1) MPI_Waitany(1, &request, &index, &status);
    if (way == 2) MPI_Waitsome(1, &request, &count, &index, &status);
    if (way == 3) MPI_Testall(1, &request, &flag, &status);
    if (way == 4) MPI_Testany(1, &request, &index, &flag, &status);
    if (way == 5) MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    if (way < 5) CHECK_EQUAL(cancelled(&status), 1);
  }
}

/* The message has come and was matched: it is too late, and the receive completes as ever. */
static void a_receive_that_was_matched(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    if (rank_in(comm) == 0) {
      hear(1, comm);
      fill(out, both_sizes[s], s);
      MPI_Ssend(out, both_sizes[s], MPI_BYTE, 1, 5, comm);
      tell(1, comm);
      continue;
    }
    MPI_Request request;
    MPI_Status status = odd_status();
    MPI_Irecv(in, LONG, MPI_BYTE, 0, 5, comm, &request);
    tell(0, comm);
    hear(0, comm); /* after this the synchronous send is complete: the receive has begun */
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    CHECK_EQUAL(cancelled(&status), 0);
    CHECK_STATUS(status, 0, 5, both_sizes[s]);
    CHECK(intact(in, both_sizes[s], s));
  }
}

/* Cancels a send that nobody has matched; tells whether it was cancelled, then sends a second
 * message. */
static void cancel_a_send(int bytes, int synchronous, int seed, MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status = odd_status();
  fill(out, bytes, seed);
  if (synchronous) MPI_Issend(out, bytes, MPI_BYTE, 1, 5, comm, &request);
  if (!synchronous) MPI_Isend(out, bytes, MPI_BYTE, 1, 5, comm, &request);
  const MPI_Request same = request;
  MPI_Cancel(&request);
  CHECK(request == same);
  MPI_Wait(&request,
           &status); /* the receiver waits for another message before it would receive this one */
  CHECK(request == MPI_REQUEST_NULL);
  const int gone = cancelled(&status);
  CHECK_EQUAL(gone, 1); /* this library takes back what nobody has matched */
  MPI_Send(&gone, 1, MPI_INT, 1, 6, comm);
  fill(out, SHORT, seed + 1);
  MPI_Send(out, SHORT, MPI_BYTE, 1, 5, comm);
}

static void receive_what_is_left(int bytes, int seed, MPI_Comm comm) {
  int gone = -1;
  MPI_Status status = odd_status();
  MPI_Recv(&gone, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE);
  CHECK(gone == 0 || gone == 1);
  if (!gone) {
    MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, &status);
    CHECK_STATUS(status, 0, 5, bytes);
    CHECK(intact(in, bytes, seed));
  }
  MPI_Recv(in, LONG, MPI_BYTE, 0, MPI_ANY_TAG, comm, &status);
  CHECK_STATUS(status, 0, 5, SHORT);
  CHECK(intact(in, SHORT, seed + 1));
}

/* The answer must be true, and waiting for it must need no receive. */
static void sends_not_matched(MPI_Comm comm) {
  for (int round = 0; round < 8; ++round) {
    const int bytes = both_sizes[round % 2];
    if (rank_in(comm) == 0) cancel_a_send(bytes, round / 2 % 2, round, comm);
    if (rank_in(comm) == 1) receive_what_is_left(bytes, round, comm);
  }
}

/* A send whose message was received cannot be taken back. */
static void a_send_that_was_received(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    MPI_Request request;
    MPI_Status status = odd_status();
    if (rank_in(comm) == 0) {
      fill(out, both_sizes[s], s);
      MPI_Isend(out, both_sizes[s], MPI_BYTE, 1, 5, comm, &request);
      hear(1, comm);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      CHECK_EQUAL(cancelled(&status), 0);
    } else {
      MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
      CHECK(intact(in, both_sizes[s], s));
      tell(0, comm);
    }
  }
}

/* Only this activation is cancelled: the request can be started again, and then receives or sends.
 */
static void persistent_requests(MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status = odd_status();
  const int me = rank_in(comm);
  blank(in, SHORT);
  MPI_Recv_init(in, SHORT, MPI_BYTE, me, 5, comm, &request);
  const MPI_Request same = request;
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    CHECK(request == same && cancelled(&status) == 1 && untouched(in, SHORT));
  }
  MPI_Start(&request);
  fill(out, 7, me);
  MPI_Send(out, 7, MPI_BYTE, me, 5, comm);
  MPI_Wait(&request, &status);
  CHECK(request == same && cancelled(&status) == 0 && intact(in, 7, me));
  CHECK_STATUS(status, me, 5, 7);
  MPI_Request_free(&request);
}

/* Synchronous, to oneself: nobody can have matched it. */
static void persistent_sends(MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status = odd_status();
  const int me = rank_in(comm);
  MPI_Ssend_init(out, SHORT, MPI_BYTE, me, 5, comm, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  int flag = 1;
  MPI_Iprobe(me, 5, comm, &flag, MPI_STATUS_IGNORE);
  CHECK_EQUAL(flag, !cancelled(&status));
  if (flag) MPI_Recv(in, SHORT, MPI_BYTE, me, 5, comm, MPI_STATUS_IGNORE);
  fill(out, SHORT, 4);
  MPI_Start(&request);
  MPI_Recv(in, SHORT, MPI_BYTE, me, 5, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, &status);
  CHECK(intact(in, SHORT, 4) && cancelled(&status) == 0);
  MPI_Request_free(&request);
}

/* A buffered send that is cancelled either leaves the buffer or is delivered; then its room is free
 * again. */
static void buffered_sends(MPI_Comm comm) {
  static char buffer[SHORT + MPI_BSEND_OVERHEAD];
  const int me = rank_in(comm);
  void* address;
  int size;
  MPI_Buffer_attach(buffer, (int)sizeof buffer);
  for (int round = 0; round < 3; ++round) {
    MPI_Request request;
    MPI_Status status = odd_status();
    int flag = 0;
    fill(out, SHORT, round);
    MPI_Ibsend(out, SHORT, MPI_BYTE, me, 5, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Iprobe(me, 5, comm, &flag, MPI_STATUS_IGNORE);
    CHECK_EQUAL(flag, !cancelled(&status));
    if (!flag) continue;
    MPI_Recv(in, SHORT, MPI_BYTE, me, 5, comm, MPI_STATUS_IGNORE);
    CHECK(intact(in, SHORT, round));
  }
  MPI_Buffer_detach(&address, &size);
}

/* A receive is cancelled while its message may be on the way: it is received exactly once, now or
 * later. */
static void received_exactly_once(MPI_Comm comm) {
  for (int round = 0; round < 20; ++round) {
    if (rank_in(comm) == 0) {
      fill(out, SHORT, round);
      MPI_Send(out, SHORT, MPI_BYTE, 1, 5, comm);
      continue;
    }
    MPI_Request request;
    MPI_Status status = odd_status();
    blank(in, SHORT);
    MPI_Irecv(in, SHORT, MPI_BYTE, 0, 5, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    if (cancelled(&status)) {
      CHECK(untouched(in, SHORT));
      MPI_Recv(in, SHORT, MPI_BYTE, 0, 5, comm, &status);
    }
    CHECK_STATUS(status, 0, 5, SHORT);
    CHECK(intact(in, SHORT, round));
  }
}

static const Case cases[] = {
    {"req 2.3.56, req 2.3.57, req 2.3.59", "a receive that nothing matches is cancelled", ANY,
     a_receive_that_nothing_matches},
    {"req 2.3.57", "a cancelled receive takes no message", 2, not_in_the_way_of_others},
    {"req 2.3.56, req 2.3.59", "every completion call completes a cancelled operation", ANY,
     in_every_completion_call},
    {"req 2.3.60, req 2.3.59", "a receive that was matched completes as ever", 2,
     a_receive_that_was_matched},
    {"req 2.3.57, req 2.3.58, req 2.3.59", "a cancelled send is delivered whole or not at all", 2,
     sends_not_matched},
    {"req 2.3.60", "a send that was received is not cancelled", 2, a_send_that_was_received},
    {"req 2.3.61", "a persistent receive can be started again", ANY, persistent_requests},
    {"req 2.3.61", "a persistent send can be started again", ANY, persistent_sends},
    {"req 2.3.61", "the room of a cancelled buffered send is free again", ANY, buffered_sends},
    {"req 2.3.57, ex 2.30", "a message is received once, whether or not its receive was cancelled",
     2, received_exactly_once},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
