/* SPDX-License-Identifier: BSD-3-Clause
   The modes of sending: when a send of each may complete, and that one receive takes them all. */
#include "messages.h"

static Bytes out, in;

typedef int BeginSend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/* A synchronous send is not complete before its receive has begun, however often one asks. */
static void not_before_the_receive(MPI_Comm comm) {
  for (int round = 0; round < 4; ++round) {
    const int bytes = both_sizes[round % 2];
    MPI_Request request;
    if (rank_in(comm) == 0) {
      int flag = 0;
      fill(out, bytes, round);
      if (round < 2) MPI_Issend(out, bytes, MPI_BYTE, 1, 5, comm, &request);
      if (round >= 2) MPI_Ssend_init(out, bytes, MPI_BYTE, 1, 5, comm, &request);
      if (round >= 2) MPI_Start(&request);
      MPI_Send(NULL, 0, MPI_BYTE, 1, 6,
               comm); /* arrives behind it, so that the message has arrived as well */
      hear(1, comm);
      for (int i = 0; i < 200; ++i) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        CHECK_EQUAL(flag, 0);
      }
      tell(1, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    } else {
      MPI_Recv(NULL, 0, MPI_BYTE, 0, 6, comm, MPI_STATUS_IGNORE);
      tell(0, comm);
      hear(0, comm);
      MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
      CHECK(intact(in, bytes, round));
    }
  }
}

/* While the blocking one is not received nothing that the sender sends after it can come. */
static void blocking_not_before_the_receive(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    if (rank_in(comm) == 0) {
      fill(out, bytes, s);
      MPI_Ssend(out, bytes, MPI_BYTE, 1, 5, comm);
      tell(1, comm);
      continue;
    }
    int flag = 0;
    MPI_Probe(0, 5, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 200; ++i) {
      MPI_Iprobe(0, SIGNAL_TAG, comm, &flag, MPI_STATUS_IGNORE);
      CHECK_EQUAL(flag, 0);
    }
    MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
    CHECK(intact(in, bytes, s));
    hear(0, comm);
  }
}

/* A message that was taken by a matched probe completes its synchronous send when it is received.
 */
static void completes_once_received(MPI_Comm comm) {
  if (rank_in(comm) == 0) {
    MPI_Ssend(out, SHORT, MPI_BYTE, 1, 5, comm);
    tell(1, comm);
    return;
  }
  MPI_Message message;
  MPI_Mprobe(0, 5, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in, SHORT, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  hear(0, comm);
}

/* The receive is posted, so that the send may be ready; nothing else differs from a standard send.
 */
static void ready_sends(MPI_Comm comm) {
  for (int round = 0; round < 6; ++round) {
    const int bytes = both_sizes[round % 2];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status = odd_status();
    if (rank_in(comm) == 0) {
      fill(out, bytes, round);
      hear(1, comm);
      if (round / 2 == 0) MPI_Rsend(out, bytes, MPI_BYTE, 1, 5, comm);
      if (round / 2 == 1) MPI_Irsend(out, bytes, MPI_BYTE, 1, 5, comm, &request);
      if (round / 2 == 2) MPI_Rsend_init(out, bytes, MPI_BYTE, 1, 5, comm, &request);
      if (round / 2 == 2) MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    } else {
      blank(in, LONG);
      MPI_Irecv(in, LONG, MPI_BYTE, 0, 5, comm, &request);
      tell(0, comm);
      MPI_Wait(&request, &status);
      CHECK_STATUS(status, 0, 5, bytes);
      CHECK(intact(in, bytes, round) && untouched(in + bytes, LONG - bytes));
    }
  }
}

/* Both sides send a buffered message first: it must be complete before anybody receives. */
static void buffered_completion_is_local(MPI_Comm comm) {
  static char buffer[LONG + MPI_BSEND_OVERHEAD];
  const int me = rank_in(comm);
  void* address;
  int size;
  MPI_Buffer_attach(buffer, (int)sizeof buffer);
  for (int round = 0; round < 6; ++round) {
    const int bytes = both_sizes[round % 2];
    MPI_Request request = MPI_REQUEST_NULL;
    fill(out, bytes, me + round);
    if (round / 2 == 0) MPI_Bsend(out, bytes, MPI_BYTE, 1 - me, 5, comm);
    if (round / 2 == 1) MPI_Ibsend(out, bytes, MPI_BYTE, 1 - me, 5, comm, &request);
    if (round / 2 == 2) MPI_Bsend_init(out, bytes, MPI_BYTE, 1 - me, 5, comm, &request);
    if (round / 2 == 2) MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    blank(out, bytes);
    MPI_Recv(in, LONG, MPI_BYTE, 1 - me, 5, comm, MPI_STATUS_IGNORE);
    CHECK(intact(in, bytes, 1 - me + round));
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    MPI_Buffer_detach(&address, &size);
    MPI_Buffer_attach(address, size);
  }
  MPI_Buffer_detach(&address, &size);
}

/* Without room a buffered send of every form fails, sends nothing, and says how much is missing. */
static void no_room(MPI_Comm comm) {
  static char buffer[10 + MPI_BSEND_OVERHEAD];
  const int me = rank_in(comm);
  char text[MPI_MAX_ERROR_STRING];
  MPI_Request request;
  void* address;
  int size;
  returning(comm);
  for (int attached = 0; attached < 2; ++attached) {
    int length = 0;
    int flag = 1;
    if (attached) MPI_Buffer_attach(buffer, (int)sizeof buffer);
    const int code = MPI_Bsend(out, SHORT, MPI_BYTE, me, 5, comm);
    CHECK_CLASS(code, MPI_ERR_BUFFER);
    MPI_Error_string(code, text, &length);
    CHECK(strstr(text, "MPI_Bsend") != NULL && strstr(text, "40 of data") != NULL);
    CHECK_CLASS(MPI_Ibsend(out, SHORT, MPI_BYTE, me, 5, comm, &request), MPI_ERR_BUFFER);
    CHECK_EQUAL(MPI_Bsend_init(out, SHORT, MPI_BYTE, me, 5, comm, &request), MPI_SUCCESS);
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_BUFFER);
    MPI_Request_free(&request);
    MPI_Iprobe(me, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    CHECK_EQUAL(flag, 0);
  }
  CHECK_EQUAL(MPI_Bsend(out, 10, MPI_BYTE, me, 5, comm), MPI_SUCCESS);
  MPI_Recv(in, SHORT, MPI_BYTE, me, 5, comm, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&address, &size);
}

/* The same receive, blocking or not, takes a message of each mode. */
static void one_receive_for_all(MPI_Comm comm) {
  static BeginSend* const modes[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
  static char buffer[LONG + MPI_BSEND_OVERHEAD];
  const int me = rank_in(comm);
  void* address;
  int size;
  MPI_Buffer_attach(buffer, (int)sizeof buffer);
  for (int i = 0; i < 8; ++i) {
    const int bytes = both_sizes[i % 2];
    MPI_Request requests[2];
    MPI_Status status = odd_status();
    fill(out, bytes, i);
    MPI_Irecv(in, LONG, MPI_BYTE, me, 5, comm, &requests[0]);
    modes[i / 2](out, bytes, MPI_BYTE, me, 5, comm, &requests[1]);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK_STATUS(status, me, 5, bytes);
    CHECK(intact(in, bytes, i));
    MPI_Buffer_flush();
  }
  MPI_Buffer_detach(&address, &size);
}

/* The receive for the ready send was posted before that for the synchronous one, which is complete:
 * so both are. */
static void ready_after_synchronous(MPI_Comm comm) {
  if (rank_in(comm) == 1) {
    fill(out, LONG, 1);
    MPI_Ssend(out, SHORT, MPI_BYTE, 0, 2, comm);
    MPI_Rsend(out, LONG, MPI_BYTE, 0, 1, comm);
    return;
  }
  static Bytes second;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(in, LONG, MPI_BYTE, 1, 1, comm, &requests[0]);
  MPI_Irecv(second, SHORT, MPI_BYTE, 1, 2, comm, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  CHECK_STATUS(statuses[0], 1, 1, LONG);
  CHECK_STATUS(statuses[1], 1, 2, SHORT);
  CHECK(intact(in, LONG, 1) && intact(second, SHORT, 1));
}

static const Case cases[] = {
    {"req 2.3.67", "a synchronous send completes only when its receive has begun", 2,
     not_before_the_receive},
    {"req 2.3.67", "a blocking synchronous send returns only when its receive has begun", 2,
     blocking_not_before_the_receive},
    {"req 2.3.67", "a synchronous send completes when a matched message is received", 2,
     completes_once_received},
    {"req 2.3.68", "ready sends to posted receives", 2, ready_sends},
    {"req 2.3.69", "a buffered send completes without its receive", 2,
     buffered_completion_is_local},
    {"req 2.3.69, req 2.3.70", "a buffered send without room is an error", 1, no_room},
    {"req 2.3.69", "one receive takes messages of all modes", ANY, one_receive_for_all},
    {"req 2.3.68, ex 2.33", "a synchronous send that is complete makes a ready one right", 2,
     ready_after_synchronous},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
