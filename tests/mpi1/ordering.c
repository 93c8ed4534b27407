/* SPDX-License-Identifier: BSD-3-Clause
   The order of messages between two processes, and what has no order. */
#include "messages.h"

enum { MESSAGES = 24 };

/* One buffer per message, of alternating sizes: the first bytes say which message it is. */
static unsigned char out[MESSAGES][70000], in[MESSAGES][70000];

static int size_of_message(int i) {
  static const int sizes[] = {8, 70000, 100, 0, 9000, 24};
  return sizes[i % 6];
}

/* Sends message i in one of the ways there are; `posted` tells whether its receive is known to be
 * posted. */
static void send_somehow(int i, int posted, MPI_Request* request, MPI_Comm comm) {
  const int bytes = size_of_message(i);
  fill(out[i], bytes, i);
  *request = MPI_REQUEST_NULL;
  switch (i % 5) {
    case 0:
      MPI_Isend(out[i], bytes, MPI_BYTE, 1, 5, comm, request);
      break;
    case 1:
      MPI_Issend(out[i], bytes, MPI_BYTE, 1, 5, comm, request);
      break;
    case 2:
      MPI_Bsend(out[i], bytes, MPI_BYTE, 1, 5, comm);
      break;
    case 3:
      MPI_Send_init(out[i], bytes, MPI_BYTE, 1, 5, comm, request);
      MPI_Start(request);
      break;
    default:
      if (posted) MPI_Irsend(out[i], bytes, MPI_BYTE, 1, 5, comm, request);
      if (!posted) MPI_Ibsend(out[i], bytes, MPI_BYTE, 1, 5, comm, request);
  }
}

static void finish_all(MPI_Request* requests, int count) {
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  }
}

static void send_all_somehow(int posted, MPI_Comm comm) {
  static char buffer[MESSAGES * (70000 + MPI_BSEND_OVERHEAD)];
  MPI_Request requests[MESSAGES];
  void* address;
  int size;
  MPI_Buffer_attach(buffer, (int)sizeof buffer);
  for (int i = 0; i < MESSAGES; ++i) send_somehow(i, posted, &requests[i], comm);
  if (!posted) tell(1, comm);
  finish_all(requests, MESSAGES);
  MPI_Buffer_detach(&address, &size);
}

/* Receives differ in their wild cards and kind, but each of them fits every message. */
static void post_somehow(int i, MPI_Request* request, MPI_Comm comm) {
  const int source = i % 2 == 0 ? 0 : MPI_ANY_SOURCE;
  const int tag = i % 3 == 0 ? 5 : MPI_ANY_TAG;
  if (i % 4 == 3) {
    MPI_Recv_init(in[i], 70000, MPI_BYTE, source, tag, comm, request);
    MPI_Start(request);
  } else {
    MPI_Irecv(in[i], 70000, MPI_BYTE, source, tag, comm, request);
  }
}

static void check_message(int i, const MPI_Status* status) {
  CHECK_STATUS(*status, 0, 5, size_of_message(i));
  CHECK(intact(in[i], size_of_message(i), i));
}

static void modes_and_sizes_posted(MPI_Comm comm) {
  MPI_Request requests[MESSAGES];
  MPI_Status statuses[MESSAGES];
  if (rank_in(comm) == 0) {
    hear(1, comm);
    send_all_somehow(1, comm);
    return;
  }
  for (int i = 0; i < MESSAGES; ++i) post_somehow(i, &requests[i], comm);
  tell(0, comm);
  MPI_Waitall(MESSAGES, requests, statuses);
  for (int i = 0; i < MESSAGES; ++i) check_message(i, &statuses[i]);
  finish_all(requests, MESSAGES);
}

static void modes_and_sizes_unexpected(MPI_Comm comm) {
  if (rank_in(comm) == 0) {
    send_all_somehow(0, comm);
    return;
  }
  hear(0, comm);
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Status status = odd_status();
    MPI_Recv(in[i], 70000, MPI_BYTE, i % 2 == 0 ? 0 : MPI_ANY_SOURCE, i % 3 == 0 ? 5 : MPI_ANY_TAG,
             comm, &status);
    check_message(i, &status);
  }
}

/* Some receives fit some messages only; each message goes to the first of those that fit it. */
static void first_posted_first_served(MPI_Comm comm) {
  enum { POSTED = 6 };
  static const int sources[POSTED] = {0, MPI_ANY_SOURCE, 0, MPI_ANY_SOURCE, 0, 0};
  static const int tags[POSTED] = {6, MPI_ANY_TAG, 5, 5, MPI_ANY_TAG, 7};
  static const int sent[POSTED] = {5, 6, 5, 5, 7, 7};
  static const int expected[POSTED] = {1, 0, 2, 3, 4, 5}; /* which receive gets message i */
  int values[POSTED];
  MPI_Request requests[POSTED];
  if (rank_in(comm) == 0) {
    hear(1, comm);
    for (int i = 0; i < POSTED; ++i) MPI_Send(&i, 1, MPI_INT, 1, sent[i], comm);
    return;
  }
  for (int i = 0; i < POSTED; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, sources[i], tags[i], comm, &requests[i]);
  MPI_Send(NULL, 0, MPI_BYTE, 0, SIGNAL_TAG, comm);
  MPI_Waitall(POSTED, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < POSTED; ++i) CHECK_EQUAL(values[expected[i]], i);
}

/* Of the messages that came before their receives, each receive takes the first that fits it. */
static void first_sent_first_taken(MPI_Comm comm) {
  static const int tags[] = {5, 6, 5, 7, 6};
  static const int asked[] = {6, MPI_ANY_TAG, 7, MPI_ANY_TAG, MPI_ANY_TAG};
  static const int expected[] = {1, 0, 3, 2, 4};
  int values[5] = {0, 1, 2, 3, 4};
  MPI_Request requests[5];
  for (int i = 0; rank_in(comm) == 0 && i < 5; ++i) {
    MPI_Isend(&values[i], 1, MPI_INT, 1, tags[i], comm, &requests[i]);
  }
  if (rank_in(comm) == 0) {
    tell(1, comm);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    return;
  }
  hear(0, comm);
  for (int i = 0; i < 5; ++i) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, asked[i], comm, MPI_STATUS_IGNORE);
    CHECK_EQUAL(value, expected[i]);
  }
}

/* Rank 0 sends to 2, then to 1, which sends to 2: both orders of arrival are right, and each
 * message comes once. */
static void relay(MPI_Comm comm) {
  int value = 10;
  if (rank_in(comm) == 0) {
    MPI_Send(&value, 1, MPI_INT, 2, 5, comm);
    MPI_Send(&value, 1, MPI_INT, 1, 5, comm);
  } else if (rank_in(comm) == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
    value = 11;
    MPI_Send(&value, 1, MPI_INT, 2, 5, comm);
  } else {
    int seen[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
      MPI_Status status = odd_status();
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, &status);
      CHECK(status.MPI_SOURCE == 0 || status.MPI_SOURCE == 1);
      CHECK_EQUAL(value, 10 + status.MPI_SOURCE);
      ++seen[status.MPI_SOURCE & 1];
    }
    CHECK(seen[0] == 1 && seen[1] == 1);
  }
}

/* From several senders at once: within each, the order holds, whatever the order between them. */
static void order_within_each_sender(MPI_Comm comm) {
  enum { EACH = 50, SENDERS = 8 };
  const int senders = size_of(comm) - 1;
  if (rank_in(comm) > SENDERS) return;
  if (rank_in(comm) > 0) {
    for (int i = 0; i < EACH; ++i) MPI_Send(&i, 1, MPI_INT, 0, i % 3, comm);
    return;
  }
  int next[SENDERS + 1] = {0};
  const int total = EACH * (senders < SENDERS ? senders : SENDERS);
  for (int i = 0; i < total; ++i) {
    int value = -1;
    MPI_Status status = odd_status();
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    CHECK_EQUAL(value, next[status.MPI_SOURCE]);
    CHECK_EQUAL(status.MPI_TAG, value % 3);
    ++next[status.MPI_SOURCE];
  }
}

/* What the program below must come to: all processes computed by one. */
static unsigned expected_result(int me, int n) {
  unsigned values[64], sent[64];
  for (int i = 0; i < n; ++i) values[i] = 17U + (unsigned)i;
  for (int step = 1; step <= 12; ++step) {
    memcpy(sent, values, sizeof sent);
    for (int i = 0; i < n; ++i) values[i] = sent[i] * 31U + sent[(i + n * step - step) % n];
  }
  return values[me];
}

/* Without wild cards a program of several processes has one result: here a number that depends on
 * every message. */
static void one_result(MPI_Comm comm) {
  const int n = size_of(comm);
  const int me = rank_in(comm);
  unsigned results[5] = {0};
  for (int run = 0; run < 5; ++run) {
    unsigned value = 17U + (unsigned)me;
    for (int step = 1; step <= 12; ++step) {
      unsigned other = 0;
      MPI_Request request;
      MPI_Isend(&value, 1, MPI_UNSIGNED, (me + step) % n, step % 2, comm, &request);
      MPI_Recv(&other, 1, MPI_UNSIGNED, (me + n * step - step) % n, step % 2, comm,
               MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      value = value * 31U + other;
    }
    results[run] = value;
  }
  for (int run = 1; run < 5; ++run) CHECK_EQUAL(results[run], results[0]);
  CHECK_EQUAL(results[0], expected_result(me, n));
}

/* Two sends, two receives, waited for the other way round: the first goes to the first. */
static void waited_in_reverse(MPI_Comm comm) {
  MPI_Request first, second;
  double a = 1;
  double b = 2;
  if (rank_in(comm) == 0) {
    MPI_Isend(&a, 1, MPI_DOUBLE, 1, 0, comm, &first);
    MPI_Isend(&b, 1, MPI_DOUBLE, 1, 0, comm, &second);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    return;
  }
  double c = 0;
  double d = 0;
  MPI_Irecv(&c, 1, MPI_DOUBLE, 0, MPI_ANY_TAG, comm, &first);
  MPI_Irecv(&d, 1, MPI_DOUBLE, 0, 0, comm, &second);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  CHECK(d == 2);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  CHECK(c == 1);
}

/* A long message, then a short one: either may complete first, each at the receive that was posted
 * for it. */
static void large_then_small(MPI_Comm comm) {
  static Bytes large;
  MPI_Request requests[2];
  char small = 's';
  if (rank_in(comm) == 0) {
    fill(large, LONG, 1);
    MPI_Isend(large, LONG, MPI_BYTE, 1, 0, comm, &requests[0]);
    MPI_Isend(&small, 1, MPI_BYTE, 1, 0, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return;
  }
  int flags[2] = {0, 0};
  small = '-';
  blank(large, LONG);
  MPI_Irecv(large, LONG, MPI_BYTE, 0, 0, comm, &requests[0]);
  MPI_Irecv(&small, 1, MPI_BYTE, 0, 0, comm, &requests[1]);
  while (!flags[0] || !flags[1]) {
    for (int i = 1; i >= 0; --i) {
      MPI_Status status = odd_status();
      if (flags[i]) continue;
      MPI_Test(&requests[i], &flags[i], &status);
      if (flags[i]) CHECK_STATUS(status, 0, 0, i == 0 ? LONG : 1);
    }
    if (flags[1]) CHECK_EQUAL(small, 's');
  }
  CHECK(intact(large, LONG, 1));
}

static const Case cases[] = {
    {"req 2.3.21", "all modes and sizes keep their order, receives posted first", 2,
     modes_and_sizes_posted},
    {"req 2.3.21, req 2.3.69", "all modes and sizes keep their order, messages first", 2,
     modes_and_sizes_unexpected},
    {"req 2.3.21", "of several receives the first posted that fits gets the message", 2,
     first_posted_first_served},
    {"req 2.3.21", "of several messages the first sent that fits is taken", 2,
     first_sent_first_taken},
    {"req 2.3.22, ex 2.10", "order is not transitive, but nothing is lost or doubled", 3, relay},
    {"req 2.3.22", "messages of each sender keep their order among those of others", ANY,
     order_within_each_sender},
    {"req 2.3.23", "without wild cards the result is always the same", ANY, one_result},
    {"req 2.3.38, ex 2.20", "matching follows posting, not waiting", 2, waited_in_reverse},
    {"req 2.3.38, ex 2.21", "a short message may complete before a long one", 2, large_then_small},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
