/* SPDX-License-Identifier: BSD-3-Clause
   The forms of the point-to-point calls with counts of type MPI_Count do what the others do. */
#include "messages.h"

enum { BYTES = 70001 };

static Bytes out, in;

static MPI_Count wide_count(const MPI_Status* status, MPI_Datatype type) {
  MPI_Count count = -77;
  MPI_Get_count_c(status, type, &count);
  return count;
}

/* The message of `seed` that `in` should hold now. */
static void check_message(const MPI_Status* status, int source, int seed) {
  CHECK_EQUAL(status->MPI_SOURCE, source);
  CHECK_EQUAL(wide_count(status, MPI_BYTE), BYTES);
  CHECK(intact(in, BYTES, seed) && untouched(in + BYTES, LONG - BYTES));
}

typedef int Send(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int BeginSend(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void attach(void) {
  static char buffer[BYTES + MPI_BSEND_OVERHEAD];
  CHECK_EQUAL(MPI_Buffer_attach_c(buffer, (MPI_Count)sizeof buffer), MPI_SUCCESS);
}

static void detach(void) {
  void* address = NULL;
  MPI_Count size = -1;
  MPI_Buffer_detach_c(&address, &size);
  CHECK(address != NULL);
  CHECK_EQUAL(size, BYTES + MPI_BSEND_OVERHEAD);
}

static void blocking(MPI_Comm comm) {
  static Send* const sends[] = {MPI_Send_c, MPI_Ssend_c, MPI_Bsend_c, MPI_Rsend_c};
  if (rank_in(comm) == 0) attach();
  for (int i = 0; i < 4; ++i) {
    MPI_Status status = odd_status();
    MPI_Request request;
    fill(out, BYTES, i);
    blank(in, LONG);
    if (rank_in(comm) == 1 && i == 3) {
      MPI_Irecv_c(in, LONG, MPI_BYTE, 0, i, comm, &request);
      tell(0, comm);
      MPI_Wait(&request, &status);
    } else if (rank_in(comm) == 1) {
      MPI_Recv_c(in, LONG, MPI_BYTE, 0, i, comm, &status);
    } else {
      if (i == 3) hear(1, comm);
      CHECK_EQUAL(sends[i](out, BYTES, MPI_BYTE, 1, i, comm), MPI_SUCCESS);
    }
    if (rank_in(comm) == 1) check_message(&status, 0, i);
  }
  if (rank_in(comm) == 0) detach();
}

static void nonblocking(MPI_Comm comm) {
  static BeginSend* const sends[] = {MPI_Isend_c,      MPI_Issend_c,    MPI_Ibsend_c,
                                     MPI_Irsend_c,     MPI_Send_init_c, MPI_Ssend_init_c,
                                     MPI_Bsend_init_c, MPI_Rsend_init_c};
  const int me = rank_in(comm);
  attach();
  for (int i = 0; i < 8; ++i) {
    MPI_Request requests[2];
    MPI_Status status = odd_status();
    fill(out, BYTES, i);
    blank(in, LONG);
    if (i < 4) MPI_Irecv_c(in, LONG, MPI_BYTE, me, i, comm, &requests[0]);
    if (i >= 4) MPI_Recv_init_c(in, LONG, MPI_BYTE, me, i, comm, &requests[0]);
    if (i >= 4) MPI_Start(&requests[0]);
    sends[i](out, BYTES, MPI_BYTE, me, i, comm, &requests[1]);
    if (i >= 4) MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], &status);
    check_message(&status, me, i);
    for (int r = 0; i >= 4 && r < 2; ++r) MPI_Request_free(&requests[r]);
    MPI_Buffer_flush();
  }
  detach();
}

static void both_directions(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int n = size_of(comm);
  const int next = (me + 1) % n;
  const int previous = (me + n - 1) % n;
  for (int i = 0; i < 4; ++i) {
    MPI_Status status = odd_status();
    MPI_Request request = MPI_REQUEST_NULL;
    fill(out, BYTES, me);
    blank(in, LONG);
    if (i % 2 == 1) fill(in, BYTES, me);
    if (i == 0)
      MPI_Sendrecv_c(out, BYTES, MPI_BYTE, next, i, in, LONG, MPI_BYTE, previous, i, comm, &status);
    if (i == 1) MPI_Sendrecv_replace_c(in, BYTES, MPI_BYTE, next, i, previous, i, comm, &status);
    if (i == 2)
      MPI_Isendrecv_c(out, BYTES, MPI_BYTE, next, i, in, LONG, MPI_BYTE, previous, i, comm,
                      &request);
    if (i == 3) MPI_Isendrecv_replace_c(in, BYTES, MPI_BYTE, next, i, previous, i, comm, &request);
    if (i >= 2) MPI_Wait(&request, &status);
    check_message(&status, previous, previous);
  }
}

static void matched(MPI_Comm comm) {
  const int me = rank_in(comm);
  for (int i = 0; i < 2; ++i) {
    MPI_Request send, receive;
    MPI_Message message;
    MPI_Status status = odd_status();
    fill(out, BYTES, i);
    blank(in, LONG);
    MPI_Isend_c(out, BYTES, MPI_BYTE, me, 5, comm, &send);
    MPI_Mprobe(me, 5, comm, &message, &status);
    CHECK_EQUAL(wide_count(&status, MPI_BYTE), BYTES);
    if (i == 0) MPI_Mrecv_c(in, LONG, MPI_BYTE, &message, &status);
    if (i == 1) MPI_Imrecv_c(in, LONG, MPI_BYTE, &message, &receive);
    if (i == 1) MPI_Wait(&receive, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    check_message(&status, me, i);
  }
}

static void counts(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int values[6] = {1, 2, 3, 4, 5, 6};
  int got[6] = {0};
  MPI_Count elements = -1;
  MPI_Status status = odd_status();
  MPI_Datatype four;
  MPI_Type_contiguous_c(4, MPI_INT, &four);
  MPI_Type_commit(&four);
  MPI_Sendrecv_c(values, 6, MPI_INT, me, 5, got, 6, MPI_INT, me, 5, comm, &status);
  CHECK_EQUAL(wide_count(&status, MPI_INT), 6);
  CHECK_EQUAL(wide_count(&status, MPI_BYTE), 6 * (int)sizeof(int));
  CHECK_EQUAL(wide_count(&status, four), MPI_UNDEFINED);
  MPI_Get_elements_c(&status, four, &elements);
  CHECK_EQUAL(elements, 6);
  MPI_Type_free(&four);
}

/* What is wrong is wrong in these forms too. */
static void errors(MPI_Comm comm) {
  const int me = rank_in(comm);
  MPI_Request request;
  returning(comm);
  CHECK_CLASS(MPI_Send_c(out, -1, MPI_BYTE, me, 5, comm), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Recv_c(in, -1, MPI_BYTE, me, 5, comm, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
  MPI_Isend_c(out, 9, MPI_BYTE, me, 5, comm, &request);
  CHECK_CLASS(MPI_Recv_c(in, 8, MPI_BYTE, me, 5, comm, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const Case cases[] = {
    {"req 2.3.1", "blocking sends and receives with wide counts", 2, blocking},
    {"req 2.3.1", "nonblocking and persistent sends and receives with wide counts", ANY,
     nonblocking},
    {"req 2.3.1, req 2.3.26", "MPI_Sendrecv and its sisters with wide counts", ANY,
     both_directions},
    {"req 2.3.1, req 2.3.53", "matched receives with wide counts", ANY, matched},
    {"req 2.3.10, req 2.3.11", "wide counts of a status", ANY, counts},
    {"req 2.3.7", "wrong counts and truncation with wide counts", ANY, errors},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
