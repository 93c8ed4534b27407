/* SPDX-License-Identifier: BSD-3-Clause
   What a receive stores: truncation, untouched bytes, statuses and counts. */
#include "messages.h"

#include <stdio.h>

enum { ROOM = 16, SENT = 33 };

static Bytes out;
static unsigned char in[LONG + 2 * MARGIN];

/* The text tells who sent how much with which tag, and how much room there was. */
static void check_truncation(int code, int bytes, int room, int tag) {
  char text[MPI_MAX_ERROR_STRING] = "";
  char sizes[2][16];
  int length = 0;
  CHECK_CLASS(code, MPI_ERR_TRUNCATE);
  MPI_Error_string(code, text, &length);
  snprintf(sizes[0], sizeof sizes[0], "%d bytes", bytes);
  snprintf(sizes[1], sizeof sizes[1], "%d bytes", room);
  CHECK(strstr(text, "source 0") != NULL);
  CHECK(strstr(text, tag == 5 ? "tag 5" : "tag 6") != NULL);
  CHECK(strstr(text, sizes[0]) != NULL && strstr(text, sizes[1]) != NULL);
}

static void check_margins(int room, int seed) {
  CHECK(untouched(in, MARGIN));
  CHECK(intact(in + MARGIN, room, seed));
  CHECK(untouched(in + MARGIN + room, (int)sizeof in - MARGIN - room));
}

static void send_three_kinds(int bytes, MPI_Comm comm) {
  MPI_Request request;
  fill(out, bytes, 1);
  MPI_Send(out, bytes, MPI_BYTE, 1, 5, comm);
  MPI_Isend(out, bytes, MPI_BYTE, 1, 6, comm, &request);
  hear(1, comm);
  MPI_Send(out, bytes, MPI_BYTE, 1, 5, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ssend(out, 1, MPI_BYTE, 1, 7, comm);
}

/* Too long for a blocking receive, for one posted after it came, and for one posted before. */
static void receive_three_kinds(int bytes, MPI_Comm comm) {
  const int room = bytes - 9;
  MPI_Status status = odd_status();
  MPI_Request request;
  blank(in, (int)sizeof in);
  check_truncation(
      MPI_Recv(in + MARGIN, room, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status), bytes,
      room, 5);
  CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 5);
  check_margins(room, 1);
  MPI_Probe(0, 6, comm, &status);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), bytes);
  blank(in, (int)sizeof in);
  MPI_Irecv(in + MARGIN, room, MPI_BYTE, 0, MPI_ANY_TAG, comm, &request);
  check_truncation(MPI_Wait(&request, &status), bytes, room, 6);
  CHECK(request == MPI_REQUEST_NULL && status.MPI_SOURCE == 0 && status.MPI_TAG == 6);
  check_margins(room, 1);
  blank(in, (int)sizeof in);
  MPI_Irecv(in + MARGIN, room, MPI_BYTE, MPI_ANY_SOURCE, 5, comm, &request);
  tell(0, comm);
  check_truncation(MPI_Wait(&request, &status), bytes, room, 5);
  CHECK(request == MPI_REQUEST_NULL && status.MPI_SOURCE == 0 && status.MPI_TAG == 5);
  check_margins(room, 1);
  CHECK_EQUAL(MPI_Recv(in, 1, MPI_BYTE, 0, 7, comm, &status), MPI_SUCCESS);
}

static void too_long(MPI_Comm comm) {
  returning(comm);
  for (int s = 0; s < 2; ++s) {
    if (rank_in(comm) == 0) send_three_kinds(both_sizes[s], comm);
    if (rank_in(comm) == 1) receive_three_kinds(both_sizes[s], comm);
  }
}

/* Every second byte is received into: the bytes between stay, and those behind. */
static void too_long_for_gaps(MPI_Comm comm) {
  enum { BLOCKS = LONG / 2 - 100 };
  returning(comm);
  for (int s = 0; s < 2; ++s) {
    const int blocks = s == 0 ? 10 : BLOCKS;
    MPI_Datatype gaps;
    if (rank_in(comm) == 0) {
      fill(out, blocks + 5, 1);
      MPI_Send(out, blocks + 5, MPI_BYTE, 1, 5, comm);
      continue;
    }
    int right = 1;
    blank(in, (int)sizeof in);
    MPI_Type_vector(blocks, 1, 2, MPI_BYTE, &gaps);
    MPI_Type_commit(&gaps);
    check_truncation(MPI_Recv(in, 1, gaps, 0, 5, comm, MPI_STATUS_IGNORE), blocks + 5, blocks, 5);
    MPI_Type_free(&gaps);
    for (int i = 0; i < blocks; ++i) {
      right = right && in[2 * i] == pattern(1, i) && in[2 * i + 1] == UNTOUCHED;
    }
    CHECK(right && untouched(in + 2 * blocks, (int)sizeof in - 2 * blocks));
  }
}

/* The other ways to receive report it as well. */
static void too_long_elsewhere(MPI_Comm comm) {
  returning(comm);
  MPI_Request request;
  MPI_Message message;
  if (rank_in(comm) == 0) {
    fill(out, SENT, 1);
    for (int i = 0; i < 2; ++i) MPI_Send(out, SENT, MPI_BYTE, 1, 5, comm);
    MPI_Sendrecv(out, SENT, MPI_BYTE, 1, 5, NULL, 0, MPI_BYTE, 1, 9, comm, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Recv_init(in, ROOM, MPI_BYTE, 0, 5, comm, &request);
  MPI_Start(&request);
  check_truncation(MPI_Wait(&request, MPI_STATUS_IGNORE), SENT, ROOM, 5);
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Request_free(&request);
  MPI_Errhandler self;
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &self);
  returning(MPI_COMM_SELF);
  MPI_Mprobe(0, 5, comm, &message, MPI_STATUS_IGNORE);
  check_truncation(MPI_Mrecv(in, ROOM, MPI_BYTE, &message, MPI_STATUS_IGNORE), SENT, ROOM, 5);
  CHECK(message == MPI_MESSAGE_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
  MPI_Errhandler_free(&self);
  check_truncation(
      MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 9, in, ROOM, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE),
      SENT, ROOM, 5);
}

/* All lengths up to a few words, at all alignments of their ends, and a long one. */
static void shorter_messages(MPI_Comm comm) {
  for (int bytes = 0; bytes <= 41; ++bytes) {
    const int sent = bytes == 41 ? LONG - 3 : bytes;
    MPI_Status status = odd_status();
    if (rank_in(comm) == 0) {
      fill(out, sent, bytes);
      MPI_Send(out, sent, MPI_BYTE, 1, 5, comm);
      continue;
    }
    blank(in, (int)sizeof in);
    MPI_Recv(in + MARGIN, LONG, MPI_BYTE, 0, 5, comm, &status);
    CHECK_EQUAL(count_of(&status, MPI_BYTE), sent);
    check_margins(sent, bytes);
  }
}

/* Posted before the message comes: the bytes may be put in place by another path. */
static void shorter_messages_posted(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    const int sent = both_sizes[s] - 5;
    MPI_Request request;
    if (rank_in(comm) == 0) {
      fill(out, sent, s);
      hear(1, comm);
      MPI_Send(out, sent, MPI_BYTE, 1, 5, comm);
      continue;
    }
    blank(in, (int)sizeof in);
    MPI_Irecv(in + MARGIN, LONG, MPI_BYTE, 0, 5, comm, &request);
    tell(0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_margins(sent, s);
  }
}

/* A status is a plain variable: it can be copied, and outlives request, communicator and later
 * messages. */
static void statuses_are_the_callers(MPI_Comm comm) {
  MPI_Comm other;
  MPI_Status kept[3];
  MPI_Comm_dup(comm, &other);
  for (int i = 0; i < 3; ++i) {
    if (rank_in(comm) == 0) MPI_Send(out, 4 * (i + 1), MPI_BYTE, 1, 5 + i, other);
    if (rank_in(comm) == 1) {
      MPI_Status status = odd_status();
      MPI_Recv(in, LONG, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &status);
      kept[i] = status;
    }
  }
  MPI_Comm_free(&other);
  for (int i = 0; rank_in(comm) == 1 && i < 3; ++i) CHECK_STATUS(kept[i], 0, 5 + i, 4 * (i + 1));
}

/* The status keeps bytes: any type may be asked for, and what is no whole number of copies is
 * undefined. */
static void counts_in_any_type(MPI_Comm comm) {
  MPI_Status status = odd_status();
  MPI_Datatype three_bytes;
  int elements = -1;
  if (rank_in(comm) == 0) {
    MPI_Send(out, 12, MPI_BYTE, 1, 5, comm);
    MPI_Send(out, 0, MPI_BYTE, 1, 5, comm);
    return;
  }
  MPI_Type_contiguous(3, MPI_BYTE, &three_bytes);
  MPI_Type_commit(&three_bytes);
  MPI_Recv(in, 100, MPI_BYTE, 0, 5, comm, &status);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 12);
  CHECK_EQUAL(count_of(&status, MPI_SHORT), 6);
  CHECK_EQUAL(count_of(&status, MPI_INT), 3);
  CHECK_EQUAL(count_of(&status, three_bytes), 4);
  CHECK_EQUAL(count_of(&status, MPI_DOUBLE), MPI_UNDEFINED);
  MPI_Get_elements(&status, three_bytes, &elements);
  CHECK_EQUAL(elements, 12);
  MPI_Recv(in, 100, MPI_BYTE, 0, 5, comm, &status);
  CHECK_EQUAL(count_of(&status, MPI_DOUBLE), 0);
  MPI_Type_free(&three_bytes);
}

typedef int Complete(MPI_Request* request, MPI_Status* status);

static int by_wait(MPI_Request* request, MPI_Status* status) {
  return MPI_Wait(request, status);
}
static int by_waitall(MPI_Request* request, MPI_Status* status) {
  return MPI_Waitall(1, request, status);
}
static int by_test(MPI_Request* request, MPI_Status* status) {
  int flag = 0;
  while (!flag) MPI_Test(request, &flag, status);
  return MPI_SUCCESS;
}
static int by_waitany(MPI_Request* request, MPI_Status* status) {
  int index;
  return MPI_Waitany(1, request, &index, status);
}
static int by_waitsome(MPI_Request* request, MPI_Status* status) {
  int count, index;
  return MPI_Waitsome(1, request, &count, &index, status);
}

/* Whatever was in the status before, MPI_Test_cancelled must be able to read it: of sends, of
 * receives, of nothing. */
static void status_of_a_send(MPI_Comm comm) {
  static Complete* const ways[] = {by_wait, by_waitall, by_test, by_waitany, by_waitsome};
  for (int i = 0; i < 5; ++i) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const int me = rank_in(comm);
    MPI_Irecv(in, SHORT, MPI_BYTE, me, 5, comm, &requests[0]);
    MPI_Isend(out, SHORT, MPI_BYTE, me, 5, comm, &requests[1]);
    for (int r = 1; r >= 0; --r) {
      MPI_Status status = odd_status();
      ways[i](&requests[r], &status);
      CHECK_EQUAL(cancelled(&status), 0);
    }
    if (ways[i] == by_waitsome) continue; /* fills no status where there is nothing */
    MPI_Status status = odd_status();
    ways[i](&requests[0], &status);
    CHECK_EQUAL(cancelled(&status), 0);
  }
}

static const Case cases[] = {
    {"req 2.3.7", "a message that is too long is an error and fills no more than the buffer", 2,
     too_long},
    {"req 2.3.7", "too long for a buffer with gaps: the gaps stay as they were", 2,
     too_long_for_gaps},
    {"req 2.3.7", "persistent and matched receives and MPI_Sendrecv report truncation", 2,
     too_long_elsewhere},
    {"req 2.3.8", "bytes behind a shorter message stay as they were", 2, shorter_messages},
    {"req 2.3.8", "the same for receives that were posted first", 2, shorter_messages_posted},
    {"req 2.3.9", "a status outlives what it describes", 2, statuses_are_the_callers},
    {"req 2.3.10, req 2.3.11", "a status can be asked for a count in any type", 2,
     counts_in_any_type},
    {"req 2.3.12", "MPI_Test_cancelled reads every status of a completion call", ANY,
     status_of_a_send},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
