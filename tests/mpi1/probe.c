/* SPDX-License-Identifier: BSD-3-Clause
   Probes: they see the message that a receive would get, of every mode, and matched probes take it.
 */
#include "messages.h"

static Bytes out, in;

/* A probe tells what the receive with the same arguments tells, and the receive gets that message.
 */
static void probe_then_receive(int source, int tag, MPI_Comm comm) {
  MPI_Status probed = odd_status();
  MPI_Status again = odd_status();
  MPI_Status received = odd_status();
  int flag = 0;
  MPI_Probe(source, tag, comm, &probed);
  MPI_Iprobe(source, tag, comm, &flag, &again);
  CHECK(flag && !cancelled(&probed));
  CHECK_STATUS(again, probed.MPI_SOURCE, probed.MPI_TAG, count_of(&probed, MPI_BYTE));
  blank(in, LONG);
  MPI_Recv(in, LONG, MPI_BYTE, probed.MPI_SOURCE, probed.MPI_TAG, comm, &received);
  CHECK_STATUS(received, probed.MPI_SOURCE, probed.MPI_TAG, count_of(&probed, MPI_BYTE));
  const int bytes = count_of(&probed, MPI_BYTE);
  CHECK(intact(in, bytes, bytes) && untouched(in + bytes, LONG - bytes));
}

static void sees_what_a_receive_gets(MPI_Comm comm) {
  static const int sizes[] = {12, LONG, 0, 700, 12};
  MPI_Request requests[5];
  static unsigned char data[5][LONG];
  for (int i = 0; rank_in(comm) == 0 && i < 5; ++i) {
    fill(data[i], sizes[i], sizes[i]);
    MPI_Isend(data[i], sizes[i], MPI_BYTE, 1, 5 + i % 2, comm, &requests[i]);
  }
  if (rank_in(comm) == 0) {
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    return;
  }
  MPI_Status status = odd_status();
  MPI_Probe(0, MPI_ANY_TAG, comm, &status);
  CHECK_STATUS(status, 0, 5, 12);
  probe_then_receive(MPI_ANY_SOURCE, 6, comm);
  probe_then_receive(MPI_ANY_SOURCE, MPI_ANY_TAG, comm);
  probe_then_receive(0, 6, comm);
  probe_then_receive(0, MPI_ANY_TAG, comm);
  probe_then_receive(0, 5, comm);
}

/* Other messages come and are received between the probe and its receive. */
static void received_later(MPI_Comm comm) {
  int value = 0;
  MPI_Status status = odd_status();
  MPI_Request request;
  if (rank_in(comm) == 0) {
    const int values[3] = {1, 2, 3};
    MPI_Isend(&values[0], 1, MPI_INT, 1, 5, comm, &request);
    hear(1, comm);
    MPI_Send(&values[1], 1, MPI_INT, 1, 6, comm);
    MPI_Send(&values[2], 1, MPI_INT, 1, 5, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
  CHECK_STATUS(status, 0, 5, (int)sizeof(int));
  tell(0, comm);
  MPI_Recv(&value, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(value, 2);
  MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(value, 1);
  MPI_Recv(&value, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(value, 3);
}

/* A message that a posted receive takes is none for a probe. */
static void not_what_was_taken(MPI_Comm comm) {
  if (rank_in(comm) == 0) {
    hear(1, comm);
    MPI_Send(out, 4, MPI_BYTE, 1, 5, comm);
    MPI_Send(out, 9, MPI_BYTE, 1, 5, comm);
    return;
  }
  MPI_Request request;
  MPI_Status status = odd_status();
  MPI_Irecv(in, SHORT, MPI_BYTE, 0, 5, comm, &request);
  tell(0, comm);
  MPI_Probe(0, MPI_ANY_TAG, comm, &status);
  CHECK_STATUS(status, 0, 5, 9);
  MPI_Wait(&request, &status);
  CHECK_STATUS(status, 0, 5, 4);
  MPI_Recv(in, SHORT, MPI_BYTE, 0, 5, comm, &status);
  CHECK_STATUS(status, 0, 5, 9);
}

static void probing_makes_progress(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    if (rank_in(comm) == 0) {
      hear(1, comm);
      MPI_Send(out, both_sizes[s], MPI_BYTE, 1, 5, comm);
      continue;
    }
    MPI_Status status = odd_status();
    int flag = 1;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
    CHECK_EQUAL(flag, 0);
    tell(0, comm);
    while (!flag) MPI_Iprobe(0, 5, comm, &flag, &status);
    CHECK_STATUS(status, 0, 5, both_sizes[s]);
    MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
  }
}

typedef int BeginSend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
enum { WAYS = 6 };

static void all_modes(MPI_Comm comm) {
  static BeginSend* const ways[WAYS] = {MPI_Isend,     MPI_Issend,     MPI_Ibsend,
                                        MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init};
  static char buffer[2 * (LONG + MPI_BSEND_OVERHEAD)];
  void* address;
  int size;
  if (rank_in(comm) == 0) MPI_Buffer_attach(buffer, (int)sizeof buffer);
  for (int i = 0; i < 2 * WAYS; ++i) {
    const int bytes = both_sizes[i % 2];
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank_in(comm) == 0) {
      fill(out, bytes, bytes);
      ways[i / 2](out, bytes, MPI_BYTE, 1, i, comm, &request);
      if (i / 2 >= 3) MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    } else {
      probe_then_receive(0, i, comm);
    }
  }
  if (rank_in(comm) == 0) MPI_Buffer_detach(&address, &size);
}

/* A matched message is nobody else's: not that of other probes, nor of receives. */
static void matched_probes(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    MPI_Request request;
    if (rank_in(comm) == 0) {
      static Bytes first;
      fill(first, bytes, 1);
      fill(out, bytes, 2);
      MPI_Isend(first, bytes, MPI_BYTE, 1, s, comm, &request);
      MPI_Send(out, bytes, MPI_BYTE, 1, s, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      continue;
    }
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status = odd_status();
    int flag = 0;
    MPI_Mprobe(MPI_ANY_SOURCE, s, comm, &message, &status);
    CHECK(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
    CHECK_STATUS(status, 0, s, bytes);
    MPI_Recv(in, bytes, MPI_BYTE, 0, s, comm, MPI_STATUS_IGNORE);
    CHECK(intact(in, bytes, 2));
    MPI_Iprobe(MPI_ANY_SOURCE, s, comm, &flag, MPI_STATUS_IGNORE);
    CHECK_EQUAL(flag, 0);
    blank(in, LONG);
    status = odd_status();
    if (s == 0) MPI_Mrecv(in, LONG, MPI_BYTE, &message, &status);
    if (s == 1) MPI_Imrecv(in, LONG, MPI_BYTE, &message, &request);
    CHECK(message == MPI_MESSAGE_NULL);
    if (s == 1) MPI_Wait(&request, &status);
    CHECK_STATUS(status, 0, s, bytes);
    CHECK(intact(in, bytes, 1) && untouched(in + bytes, LONG - bytes));
  }
}

static void matched_probe_that_does_not_wait(MPI_Comm comm) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status = odd_status();
  int flag = 1;
  if (rank_in(comm) == 0) {
    hear(1, comm);
    MPI_Ssend(out, SHORT, MPI_BYTE, 1, 5, comm);
    return;
  }
  MPI_Improbe(0, 5, comm, &flag, &message, &status);
  CHECK_EQUAL(flag, 0);
  tell(0, comm);
  while (!flag) MPI_Improbe(0, MPI_ANY_TAG, comm, &flag, &message, &status);
  CHECK_STATUS(status, 0, 5, SHORT);
  MPI_Mrecv(in, SHORT, MPI_BYTE, &message, &status);
  CHECK_STATUS(status, 0, 5, SHORT);
}

/* An int from rank 0 and a float from rank 1, in the order in which they come, each received as
 * what it is. */
static void int_or_float(MPI_Comm comm) {
  const int number = 17;
  const float fraction = 0.25F;
  if (rank_in(comm) == 0) MPI_Send(&number, 1, MPI_INT, 2, 0, comm);
  if (rank_in(comm) == 1) MPI_Send(&fraction, 1, MPI_FLOAT, 2, 0, comm);
  for (int i = 0; rank_in(comm) == 2 && i < 2; ++i) {
    int got_number = 0;
    float got_fraction = 0;
    MPI_Status status = odd_status();
    MPI_Probe(MPI_ANY_SOURCE, 0, comm, &status);
    if (status.MPI_SOURCE == 0) {
      MPI_Recv(&got_number, 1, MPI_INT, 0, 0, comm, &status);
      CHECK_EQUAL(got_number, 17);
    } else {
      MPI_Recv(&got_fraction, 1, MPI_FLOAT, 1, 0, comm, &status);
      CHECK(status.MPI_SOURCE == 1 && got_fraction == fraction);
    }
  }
}

/* The same with a wild card in the receive: it may get the other message, so the buffer has to take
 * either. */
static void either_after_the_probe(MPI_Comm comm) {
  const int number = 17;
  const float fraction = 0.25F;
  int seen[2] = {0, 0};
  if (rank_in(comm) == 0) MPI_Send(&number, 1, MPI_INT, 2, 0, comm);
  if (rank_in(comm) == 1) MPI_Send(&fraction, 1, MPI_FLOAT, 2, 0, comm);
  for (int i = 0; rank_in(comm) == 2 && i < 2; ++i) {
    unsigned char data[16];
    MPI_Status status = odd_status();
    MPI_Probe(MPI_ANY_SOURCE, 0, comm, &status);
    MPI_Recv(data, 16, MPI_PACKED, MPI_ANY_SOURCE, 0, comm, &status);
    if (!CHECK(status.MPI_SOURCE == 0 || status.MPI_SOURCE == 1)) return;
    CHECK(memcmp(data, status.MPI_SOURCE == 0 ? (const void*)&number : &fraction, 4) == 0);
    ++seen[status.MPI_SOURCE];
  }
  if (rank_in(comm) == 2) CHECK(seen[0] == 1 && seen[1] == 1);
}

static const Case cases[] = {
    {"req 2.3.52, req 2.3.53", "a probe sees what a receive gets", 2, sees_what_a_receive_gets},
    {"req 2.3.53", "the receive may come later", 2, received_later},
    {"req 2.3.52", "a probe does not see what a posted receive takes", 2, not_what_was_taken},
    {"req 2.3.54", "probing again and again finds the message", 2, probing_makes_progress},
    {"req 2.3.55", "probes see messages of all modes", 2, all_modes},
    {"req 2.3.52, req 2.3.53", "a matched probe takes the message out of sight", 2, matched_probes},
    {"req 2.3.54", "MPI_Improbe finds nothing, then the message", 2,
     matched_probe_that_does_not_wait},
    {"req 2.3.53, ex 2.28", "the source of a probe chooses the type of the receive", 3,
     int_or_float},
    {"ex 2.29", "a receive with a wild card may get another message than the probe saw", 3,
     either_after_the_probe},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
