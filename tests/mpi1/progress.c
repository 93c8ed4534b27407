/* SPDX-License-Identifier: BSD-3-Clause
   Progress: what must complete whatever other messages wait, and exchanges that are safe at every
   size. */
#include "messages.h"

static Bytes out, other, in, second;

/* The buffer is the sender's again when the send has returned. */
static void buffers_are_free_again(MPI_Comm comm) {
  for (int round = 0; round < 6; ++round) {
    const int bytes = both_sizes[round % 2];
    if (rank_in(comm) == 0) {
      fill(out, bytes, round);
      if (round / 2 == 0) MPI_Send(out, bytes, MPI_BYTE, 1, 5, comm);
      if (round / 2 == 1) MPI_Ssend(out, bytes, MPI_BYTE, 1, 5, comm);
      if (round / 2 == 2)
        MPI_Sendrecv(out, bytes, MPI_BYTE, 1, 5, NULL, 0, MPI_BYTE, 1, 6, comm, MPI_STATUS_IGNORE);
      blank(out, bytes);
    } else {
      if (round / 2 == 2) MPI_Send(NULL, 0, MPI_BYTE, 0, 6, comm);
      MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
      CHECK(intact(in, bytes, round));
    }
  }
}

/* More data than the library would ever buffer, to a process that does not receive yet: senders
 * wait, nothing fails. */
static void more_than_fits(MPI_Comm comm) {
  enum { FLOOD = 3000, EACH = 4096 };
  MPI_Request requests[FLOOD / 10];
  if (rank_in(comm) == 0) {
    fill(out, EACH, 1);
    for (int i = 0; i < FLOOD / 10; ++i) MPI_Isend(out, EACH, MPI_BYTE, 1, 6, comm, &requests[i]);
    for (int i = 0; i < FLOOD; ++i)
      CHECK_EQUAL(MPI_Send(out, EACH, MPI_BYTE, 1, 5, comm), MPI_SUCCESS);
    MPI_Waitall(FLOOD / 10, requests, MPI_STATUSES_IGNORE);
    return;
  }
  MPI_Probe(0, 5, comm, MPI_STATUS_IGNORE);
  int right = 1;
  for (int i = 0; i < FLOOD; ++i) {
    MPI_Recv(in, EACH, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
    if (i % 500 == 0) right = right && intact(in, EACH, 1);
  }
  for (int i = 0; i < FLOOD / 10; ++i) MPI_Recv(in, EACH, MPI_BYTE, 0, 6, comm, MPI_STATUS_IGNORE);
  CHECK(right && intact(in, EACH, 1));
}

/* Thousands of messages that nobody asks for do not keep one that is asked for from coming, nor do
 * they get lost. */
static void behind_many_others(MPI_Comm comm) {
  enum { MANY = 4000, EACH = 3000 };
  static MPI_Request requests[MANY + 1];
  if (rank_in(comm) == 0) {
    fill(out, EACH, 1);
    for (int i = 0; i < MANY; ++i) MPI_Isend(out, EACH, MPI_BYTE, 1, 5, comm, &requests[i]);
    MPI_Isend(out, EACH, MPI_BYTE, 1, 6, comm, &requests[MANY]);
    MPI_Waitall(MANY + 1, requests, MPI_STATUSES_IGNORE);
    return;
  }
  MPI_Recv(in, EACH, MPI_BYTE, 0, 6, comm, MPI_STATUS_IGNORE);
  CHECK(intact(in, EACH, 1));
  for (int i = 0; i < MANY; ++i) MPI_Recv(in, EACH, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
  CHECK(intact(in, EACH, 1));
}

/* A message that waits for its receive, of any size and mode, does not hold up a later one whose
 * receive is there. */
static void past_an_unmatched_message(MPI_Comm comm) {
  static char buffer[LONG + MPI_BSEND_OVERHEAD];
  void* address;
  int size;
  for (int round = 0; round < 8; ++round) {
    const int first = both_sizes[round % 2];
    const int later = both_sizes[round / 2 % 2];
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank_in(comm) == 0) {
      fill(out, first, 1);
      fill(other, later, 2);
      MPI_Buffer_attach(buffer, (int)sizeof buffer);
      if (round < 4) MPI_Isend(out, first, MPI_BYTE, 1, 5, comm, &request);
      if (round >= 4) MPI_Bsend(out, first, MPI_BYTE, 1, 5, comm);
      MPI_Send(other, later, MPI_BYTE, 1, 6, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Buffer_detach(&address, &size);
    } else {
      MPI_Recv(second, later, MPI_BYTE, 0, 6, comm, MPI_STATUS_IGNORE);
      MPI_Recv(in, first, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
      CHECK(intact(second, later, 2) && intact(in, first, 1));
    }
  }
}

/* The receiver completes although the sender calls nothing that completes its send: it waits for
 * another message. */
static void a_receive_completes_alone(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    MPI_Request request;
    if (rank_in(comm) == 0) {
      fill(out, both_sizes[s], s);
      MPI_Isend(out, both_sizes[s], MPI_BYTE, 1, 5, comm, &request);
      hear(1, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
      CHECK(intact(in, both_sizes[s], s));
      tell(0, comm);
    }
  }
}

/* The sender completes, by waiting or by testing again and again, although the receiver only waits
 * for something else. */
static void a_send_completes_alone(MPI_Comm comm) {
  for (int round = 0; round < 4; ++round) {
    const int bytes = both_sizes[round % 2];
    MPI_Request request;
    int flag = 0;
    if (rank_in(comm) == 0) {
      fill(out, bytes, round);
      hear(1, comm);
      MPI_Issend(out, bytes, MPI_BYTE, 1, 5, comm, &request);
      while (round < 2 && !flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      tell(1, comm);
    } else {
      MPI_Irecv(in, bytes, MPI_BYTE, 0, 5, comm, &request);
      tell(0, comm);
      hear(0, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(intact(in, bytes, round));
    }
  }
}

/* One sends first, the other receives first. */
static void ordered_exchange(MPI_Comm comm) {
  const int me = rank_in(comm);
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    fill(out, bytes, me);
    if (me == 0) MPI_Send(out, bytes, MPI_BYTE, 1, 5, comm);
    MPI_Recv(in, bytes, MPI_BYTE, 1 - me, 5, comm, MPI_STATUS_IGNORE);
    if (me == 1) MPI_Send(out, bytes, MPI_BYTE, 0, 5, comm);
    CHECK(intact(in, bytes, 1 - me));
  }
}

/* Rank 1 posts the first receive, blocks in that of the second message, then waits for the first.
 */
static void second_receive_first(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    MPI_Request request;
    if (rank_in(comm) == 0) {
      fill(out, bytes, 1);
      fill(other, bytes, 2);
      MPI_Send(out, bytes, MPI_BYTE, 1, 0, comm);
      MPI_Send(other, bytes, MPI_BYTE, 1, 1, comm);
    } else {
      MPI_Irecv(in, bytes, MPI_BYTE, 0, 0, comm, &request);
      MPI_Recv(second, bytes, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
      CHECK(intact(second, bytes, 2));
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(intact(in, bytes, 1));
    }
  }
}

/* Both post their send, then receive, then wait. */
static void nonblocking_exchange(MPI_Comm comm) {
  const int me = rank_in(comm);
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    MPI_Request request;
    fill(out, bytes, me);
    MPI_Isend(out, bytes, MPI_BYTE, 1 - me, 5, comm, &request);
    MPI_Recv(in, bytes, MPI_BYTE, 1 - me, 5, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(intact(in, bytes, 1 - me));
  }
}

/* Two blocking sends; their receives are posted in the opposite order of tags. */
static void opposite_tags(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    MPI_Request requests[2];
    if (rank_in(comm) == 0) {
      fill(out, bytes, 1);
      fill(other, bytes, 2);
      MPI_Send(out, bytes, MPI_BYTE, 1, 1, comm);
      MPI_Send(other, bytes, MPI_BYTE, 1, 2, comm);
    } else {
      MPI_Irecv(second, bytes, MPI_BYTE, 0, 2, comm, &requests[0]);
      MPI_Irecv(in, bytes, MPI_BYTE, 0, 1, comm, &requests[1]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      CHECK(intact(in, bytes, 1) && intact(second, bytes, 2));
    }
  }
}

static const Case cases[] = {
    {"req 2.3.18", "a blocking send returns when its buffer may be used again", 2,
     buffers_are_free_again},
    {"req 2.3.19", "a send never fails for lack of room inside the library", 2, more_than_fits},
    {"req 2.3.19, req 2.3.24", "a message is found behind thousands of others", 2,
     behind_many_others},
    {"req 2.3.24, req 2.3.40", "an unmatched message holds nothing up", 2,
     past_an_unmatched_message},
    {"req 2.3.39", "a receive completes while its sender waits for something else", 2,
     a_receive_completes_alone},
    {"req 2.3.39", "a send completes while its receiver waits for something else", 2,
     a_send_completes_alone},
    {"ex 2.7", "an ordered exchange is safe at every size", 2, ordered_exchange},
    {"req 2.3.39, ex 2.22", "a posted receive lets the sender go on to the next message", 2,
     second_receive_first},
    {"ex 2.23", "a nonblocking exchange is safe at every size", 2, nonblocking_exchange},
    {"req 2.3.40, ex 2.24", "receives in the opposite order of tags", 2, opposite_tags},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
