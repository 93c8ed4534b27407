/* SPDX-License-Identifier: BSD-3-Clause
   MPI_Sendrecv and MPI_Sendrecv_replace, and MPI_PROC_NULL in every call that takes a rank. */
#include "messages.h"

static Bytes out, in;

/* Everybody sends to the next and receives from the previous one, at once, messages of lengths that
 * differ. */
static void round_a_ring(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int n = size_of(comm);
  const int previous = (me + n - 1) % n;
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s] - 32;
    MPI_Status status = odd_status();
    fill(out, bytes + me, me);
    blank(in, LONG);
    MPI_Sendrecv(out, bytes + me, MPI_BYTE, (me + 1) % n, me, in, LONG, MPI_BYTE, previous,
                 previous, comm, &status);
    CHECK_STATUS(status, previous, previous, bytes + previous);
    CHECK(intact(in, bytes + previous, previous));
    CHECK(untouched(in + bytes + previous, LONG - bytes - previous));
    CHECK(intact(out, bytes + me, me));
  }
}

/* Tags, types, counts and partners of the two halves are independent, and each half may meet an
 * ordinary call. */
static void with_ordinary_calls(MPI_Comm comm) {
  MPI_Status status = odd_status();
  const double number = 2.5;
  int values[3] = {0, 0, 0};
  if (rank_in(comm) == 0) {
    MPI_Sendrecv(&number, 1, MPI_DOUBLE, 1, 3, values, 3, MPI_INT, 2, 4, comm, &status);
    CHECK_STATUS(status, 2, 4, 2 * (int)sizeof(int));
    CHECK(values[0] == 7 && values[1] == 8 && values[2] == 0);
  } else if (rank_in(comm) == 1) {
    double got = 0;
    MPI_Probe(0, MPI_ANY_TAG, comm, &status);
    CHECK_STATUS(status, 0, 3, (int)sizeof(double));
    MPI_Recv(&got, 1, MPI_DOUBLE, 0, 3, comm, &status);
    CHECK(got == number);
  } else {
    values[0] = 7;
    values[1] = 8;
    MPI_Ssend(values, 2, MPI_INT, 0, 4, comm);
  }
}

static void with_wild_cards(MPI_Comm comm) {
  const int me = rank_in(comm);
  MPI_Status status = odd_status();
  int value = -1;
  MPI_Sendrecv(&me, 1, MPI_INT, 1 - me, 6 + me, &value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
               comm, &status);
  CHECK_STATUS(status, 1 - me, 7 - me, (int)sizeof(int));
  CHECK_EQUAL(value, 1 - me);
}

/* What comes in replaces what went out, also when it is shorter, and also to oneself. */
static void replaced(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int n = size_of(comm);
  const int previous = (me + n - 1) % n;
  for (int s = 0; s < 2; ++s) {
    for (int distance = 0; distance < 2; ++distance) {
      const int from = distance == 0 ? me : previous;
      MPI_Status status = odd_status();
      fill(in, both_sizes[s], me);
      MPI_Sendrecv_replace(in, both_sizes[s], MPI_BYTE, (me + distance) % n, 5, from, 5, comm,
                           &status);
      CHECK_STATUS(status, from, 5, both_sizes[s]);
      CHECK(intact(in, both_sizes[s], from));
    }
  }
}

static void replaced_by_less(MPI_Comm comm) {
  const int me = rank_in(comm);
  MPI_Status status = odd_status();
  fill(in, SHORT, me);
  if (me == 0) {
    MPI_Sendrecv_replace(in, SHORT, MPI_BYTE, 1, 5, 1, 6, comm, &status);
    CHECK_STATUS(status, 1, 6, 7);
    CHECK(intact(in, 7, 1));
    for (int i = 7; i < SHORT; ++i) CHECK_EQUAL(in[i], pattern(0, i));
  } else {
    MPI_Send(in, 7, MPI_BYTE, 0, 6, comm);
    MPI_Recv(out, SHORT, MPI_BYTE, 0, 5, comm, &status);
    CHECK(intact(out, SHORT, 0));
  }
}

/* The gaps of a type belong to neither message. */
static void replaced_around_gaps(MPI_Comm comm) {
  enum { BLOCKS = LONG / 3 };
  const int me = rank_in(comm);
  const int n = size_of(comm);
  int right = 1;
  MPI_Datatype gaps;
  MPI_Type_vector(BLOCKS, 2, 3, MPI_BYTE, &gaps);
  MPI_Type_commit(&gaps);
  blank(in, LONG);
  for (int i = 0; i < BLOCKS; ++i) memset(in + 3 * i, me, 2);
  MPI_Sendrecv_replace(in, 1, gaps, (me + 1) % n, 5, (me + n - 1) % n, 5, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < BLOCKS; ++i) {
    const int previous = (me + n - 1) % n;
    right = right && in[3 * i] == previous && in[3 * i + 1] == previous;
    right = right && (i == BLOCKS - 1 || in[3 * i + 2] == UNTOUCHED);
  }
  CHECK(right);
  MPI_Type_free(&gaps);
}

static void check_nothing_came(const MPI_Status* status) {
  CHECK_STATUS(*status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  CHECK_EQUAL(cancelled(status), 0);
  CHECK(untouched(in, SHORT));
}

static void blocking_to_nobody(MPI_Comm comm) {
  MPI_Status status = odd_status();
  blank(in, SHORT);
  MPI_Send(out, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm);
  MPI_Ssend(out, LONG, MPI_BYTE, MPI_PROC_NULL, 5, comm);
  MPI_Rsend(out, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm);
  MPI_Bsend(out, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm); /* no buffer is attached */
  MPI_Recv(in, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm, &status);
  check_nothing_came(&status);
  MPI_Recv(in, SHORT, MPI_BYTE, MPI_PROC_NULL, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}

typedef int BeginSend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void nonblocking_to_nobody(MPI_Comm comm) {
  static BeginSend* const sends[] = {MPI_Isend, MPI_Issend, MPI_Irsend, MPI_Ibsend};
  MPI_Request request;
  MPI_Status status = odd_status();
  int flag = 0;
  blank(in, SHORT);
  for (int i = 0; i < 4; ++i) {
    sends[i](out, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm, &request);
    CHECK(request != MPI_REQUEST_NULL);
    MPI_Test(&request, &flag, &status);
    CHECK(flag && request == MPI_REQUEST_NULL && !cancelled(&status));
  }
  MPI_Irecv(in, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm, &request);
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Wait(&request, &status);
  CHECK(request == MPI_REQUEST_NULL);
  check_nothing_came(&status);
}

static void persistent_with_nobody(MPI_Comm comm) {
  static BeginSend* const sends[] = {MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init, MPI_Bsend_init};
  MPI_Request requests[5];
  MPI_Status statuses[5];
  blank(in, SHORT);
  for (int i = 0; i < 4; ++i) sends[i](out, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm, &requests[i]);
  MPI_Recv_init(in, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm, &requests[4]);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i) statuses[i] = odd_status();
    MPI_Startall(5, requests);
    MPI_Waitall(5, requests, statuses);
    check_nothing_came(&statuses[4]);
    for (int i = 0; i < 5; ++i) CHECK(requests[i] != MPI_REQUEST_NULL && !cancelled(&statuses[i]));
  }
  for (int i = 0; i < 5; ++i) MPI_Request_free(&requests[i]);
}

/* At an end of a row of processes only one half takes place. */
static void half_of_a_sendrecv(MPI_Comm comm) {
  const int me = rank_in(comm);
  MPI_Status status = odd_status();
  fill(out, SHORT, 3);
  blank(in, LONG);
  if (me == 0)
    MPI_Sendrecv(out, SHORT, MPI_BYTE, 1, 5, in, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, comm, &status);
  if (me == 0) check_nothing_came(&status);
  if (me == 1)
    MPI_Sendrecv(out, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, in, SHORT, MPI_BYTE, 0, 5, comm, &status);
  if (me == 1) CHECK_STATUS(status, 0, 5, SHORT);
  if (me == 1) CHECK(intact(in, SHORT, 3));
  blank(in, SHORT);
  status = odd_status();
  MPI_Sendrecv(out, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, in, SHORT, MPI_BYTE, MPI_PROC_NULL, 6, comm,
               &status);
  check_nothing_came(&status);
  status = odd_status();
  MPI_Sendrecv_replace(in, SHORT, MPI_BYTE, MPI_PROC_NULL, 5, MPI_PROC_NULL, 6, comm, &status);
  check_nothing_came(&status);
  status = odd_status();
  MPI_Sendrecv_replace(in, SHORT, MPI_BYTE, me == 0 ? 1 : MPI_PROC_NULL, 5,
                       me == 0 ? MPI_PROC_NULL : 0, 5, comm, &status);
  if (me == 0) check_nothing_came(&status);
  if (me == 1) CHECK_STATUS(status, 0, 5, SHORT);
}

static void probes_of_nobody(MPI_Comm comm) {
  MPI_Status status = odd_status();
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request;
  int flag = 0;
  blank(in, SHORT);
  MPI_Probe(MPI_PROC_NULL, 5, comm, &status);
  check_nothing_came(&status);
  status = odd_status();
  MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, comm, &flag, &status);
  CHECK_EQUAL(flag, 1);
  check_nothing_came(&status);
  status = odd_status();
  MPI_Mprobe(MPI_PROC_NULL, 5, comm, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  check_nothing_came(&status);
  status = odd_status();
  MPI_Mrecv(in, SHORT, MPI_BYTE, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL);
  check_nothing_came(&status);
  flag = 0;
  MPI_Improbe(MPI_PROC_NULL, 5, comm, &flag, &message, &status);
  CHECK(flag && message == MPI_MESSAGE_NO_PROC);
  MPI_Imrecv(in, SHORT, MPI_BYTE, &message, &request);
  status = odd_status();
  MPI_Wait(&request, &status);
  CHECK(message == MPI_MESSAGE_NULL);
  check_nothing_came(&status);
}

static const Case cases[] = {
    {"req 2.3.26", "MPI_Sendrecv round a ring does not deadlock at any size", ANY, round_a_ring},
    {"req 2.3.27, req 2.3.55", "its halves are independent and meet ordinary calls", 3,
     with_ordinary_calls},
    {"req 2.3.27", "its receive may have wild cards", 2, with_wild_cards},
    {"req 2.3.28", "MPI_Sendrecv_replace sends what was there and receives what comes", ANY,
     replaced},
    {"req 2.3.28", "a shorter message replaces only as much as it has", 2, replaced_by_less},
    {"req 2.3.28", "gaps stay as they are", ANY, replaced_around_gaps},
    {"req 2.3.29, req 2.3.30", "blocking calls with MPI_PROC_NULL do nothing", ANY,
     blocking_to_nobody},
    {"req 2.3.29, req 2.3.30", "nonblocking calls with MPI_PROC_NULL do nothing", ANY,
     nonblocking_to_nobody},
    {"req 2.3.29, req 2.3.30", "persistent calls with MPI_PROC_NULL do nothing", ANY,
     persistent_with_nobody},
    {"req 2.3.29, req 2.3.30", "either half of MPI_Sendrecv may go nowhere", 2, half_of_a_sendrecv},
    {"req 2.3.29, req 2.3.30", "probes of MPI_PROC_NULL find at once that nothing comes", ANY,
     probes_of_nobody},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
