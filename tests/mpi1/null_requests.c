/* SPDX-License-Identifier: BSD-3-Clause
   Null and inactive requests in every completion call: nothing to wait for, empty statuses, and
   handles that stay. */
#include "messages.h"

enum { LISTED = 3 };

static unsigned char out[SHORT], in[SHORT];

/* Lists in which nothing is active: of null handles, of inactive ones, of both, and none at all. */
static int make_list(int kind, MPI_Request requests[LISTED], MPI_Comm comm) {
  const int me = rank_in(comm);
  for (int i = 0; i < LISTED; ++i) {
    requests[i] = MPI_REQUEST_NULL;
    if (kind == 1 || (kind == 2 && i == 1)) {
      MPI_Recv_init(in, SHORT, MPI_BYTE, me, 5, comm, &requests[i]);
    }
  }
  if (kind == 2) { /* one that was active before */
    MPI_Start(&requests[1]);
    MPI_Send(out, 3, MPI_BYTE, me, 5, comm);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
  return kind == 3 ? 0 : LISTED;
}

static void free_list(MPI_Request requests[LISTED]) {
  for (int i = 0; i < LISTED; ++i) {
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  }
}

static void singly(MPI_Request requests[LISTED]) {
  for (int i = 0; i < LISTED; ++i) {
    MPI_Status status = odd_status();
    int flag = 0;
    MPI_Wait(&requests[i], &status);
    CHECK_EMPTY(status);
    status = odd_status();
    MPI_Test(&requests[i], &flag, &status);
    CHECK_EQUAL(flag, 1);
    CHECK_EMPTY(status);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
}

static void by_any(MPI_Request requests[LISTED], int count) {
  MPI_Status status = odd_status();
  int index = -5;
  int flag = 0;
  MPI_Waitany(count, requests, &index, &status);
  CHECK_EQUAL(index, MPI_UNDEFINED);
  CHECK_EMPTY(status);
  status = odd_status();
  index = -5;
  MPI_Testany(count, requests, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED);
  CHECK_EMPTY(status);
}

static void by_all(MPI_Request requests[LISTED], int count) {
  MPI_Status statuses[LISTED];
  int flag = 0;
  for (int by_test = 0; by_test < 2; ++by_test) {
    for (int i = 0; i < LISTED; ++i) statuses[i] = odd_status();
    if (by_test) MPI_Testall(count, requests, &flag, statuses);
    if (!by_test) MPI_Waitall(count, requests, statuses);
    CHECK_EQUAL(flag, by_test);
    for (int i = 0; i < count; ++i) CHECK_EMPTY(statuses[i]);
    const MPI_Status odd = odd_status();
    for (int i = count; i < LISTED; ++i) CHECK(memcmp(&statuses[i], &odd, sizeof odd) == 0);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void by_some(MPI_Request requests[LISTED], int count) {
  MPI_Status statuses[LISTED];
  int indices[LISTED];
  int outcount = -5;
  MPI_Waitsome(count, requests, &outcount, indices, statuses);
  CHECK_EQUAL(outcount, MPI_UNDEFINED);
  outcount = -5;
  MPI_Testsome(count, requests, &outcount, indices, statuses);
  CHECK_EQUAL(outcount, MPI_UNDEFINED);
}

static void nothing_active(MPI_Comm comm) {
  for (int kind = 0; kind < 4; ++kind) {
    MPI_Request requests[LISTED], before[LISTED];
    const int count = make_list(kind, requests, comm);
    memcpy(before, requests, sizeof before);
    singly(requests);
    by_any(requests, count);
    by_all(requests, count);
    by_some(requests, count);
    CHECK(memcmp(before, requests, sizeof before) == 0);
    free_list(requests);
  }
}

/* A status that was never set must not be mistaken for an empty one: elements are counted as zero,
 * in any type. */
static void the_empty_status(MPI_Comm comm) {
  (void)comm;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status = odd_status();
  int elements = -5;
  MPI_Wait(&request, &status);
  MPI_Get_elements(&status, MPI_DOUBLE, &elements);
  CHECK_EQUAL(elements, 0);
  CHECK_EQUAL(count_of(&status, MPI_DOUBLE), 0);
  CHECK_EMPTY(status);
}

/* {null, active, inactive}: only the active one is looked at. */
static void make_mixed(MPI_Request requests[LISTED], MPI_Comm comm) {
  requests[0] = MPI_REQUEST_NULL;
  MPI_Irecv(in, SHORT, MPI_BYTE, rank_in(comm), 5, comm, &requests[1]);
  MPI_Recv_init(out, SHORT, MPI_BYTE, rank_in(comm), 6, comm, &requests[2]);
}

static void check_mixed(MPI_Request requests[LISTED], MPI_Request inactive) {
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL &&
        requests[2] == inactive);
  MPI_Request_free(&requests[2]);
}

static void send_three_bytes(MPI_Comm comm) {
  MPI_Request request;
  MPI_Isend("abc", 3, MPI_BYTE, rank_in(comm), 5, comm, &request);
  MPI_Request_free(&request);
}

static void mixed_lists_all(MPI_Comm comm) {
  for (int by_test = 0; by_test < 2; ++by_test) {
    MPI_Request requests[LISTED];
    MPI_Status statuses[LISTED];
    int flag = 1;
    make_mixed(requests, comm);
    const MPI_Request inactive = requests[2];
    MPI_Testall(LISTED, requests, &flag, statuses);
    CHECK(!flag && requests[1] != MPI_REQUEST_NULL);
    send_three_bytes(comm);
    for (int i = 0; i < LISTED; ++i) statuses[i] = odd_status();
    if (!by_test) MPI_Waitall(LISTED, requests, statuses);
    while (by_test && !flag) MPI_Testall(LISTED, requests, &flag, statuses);
    CHECK_EMPTY(statuses[0]);
    CHECK_STATUS(statuses[1], rank_in(comm), 5, 3);
    CHECK_EMPTY(statuses[2]);
    check_mixed(requests, inactive);
  }
}

static void mixed_lists_any(MPI_Comm comm) {
  for (int by_test = 0; by_test < 2; ++by_test) {
    MPI_Request requests[LISTED];
    MPI_Status status = odd_status();
    int flag = 1;
    int index = -5;
    make_mixed(requests, comm);
    const MPI_Request inactive = requests[2];
    MPI_Testany(LISTED, requests, &index, &flag, &status);
    CHECK(!flag && index == MPI_UNDEFINED);
    send_three_bytes(comm);
    if (!by_test) MPI_Waitany(LISTED, requests, &index, &status);
    while (by_test && !flag) MPI_Testany(LISTED, requests, &index, &flag, &status);
    CHECK_EQUAL(index, 1);
    CHECK_STATUS(status, rank_in(comm), 5, 3);
    check_mixed(requests, inactive);
  }
}

static void mixed_lists_some(MPI_Comm comm) {
  for (int by_test = 0; by_test < 2; ++by_test) {
    MPI_Request requests[LISTED];
    MPI_Status statuses[LISTED];
    int indices[LISTED];
    int outcount = -5;
    make_mixed(requests, comm);
    const MPI_Request inactive = requests[2];
    MPI_Testsome(LISTED, requests, &outcount, indices, statuses);
    CHECK_EQUAL(outcount, 0);
    send_three_bytes(comm);
    if (!by_test) MPI_Waitsome(LISTED, requests, &outcount, indices, statuses);
    while (by_test && outcount == 0) MPI_Testsome(LISTED, requests, &outcount, indices, statuses);
    CHECK(outcount == 1 && indices[0] == 1);
    CHECK_STATUS(statuses[0], rank_in(comm), 5, 3);
    MPI_Testsome(LISTED, requests, &outcount, indices, statuses);
    CHECK_EQUAL(outcount, MPI_UNDEFINED);
    check_mixed(requests, inactive);
  }
}

static const Case cases[] = {
    {"req 2.3.48, req 2.3.49, req 2.3.50", "where nothing is active all calls return at once", ANY,
     nothing_active},
    {"req 2.3.48", "the empty status counts nothing in any type", 1, the_empty_status},
    {"req 2.3.50", "MPI_Waitall and MPI_Testall pass over what is not active", ANY,
     mixed_lists_all},
    {"req 2.3.50, req 2.3.51", "MPI_Testany tells none complete from none active", ANY,
     mixed_lists_any},
    {"req 2.3.50, req 2.3.51", "MPI_Testsome tells none complete from none active", ANY,
     mixed_lists_some},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
