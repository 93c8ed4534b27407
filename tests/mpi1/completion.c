/* SPDX-License-Identifier: BSD-3-Clause
   Completing one, some or all of several operations, and how failures among them are told. */
#include "messages.h"

enum { COUNT = 4, KEPT = 4711 };

static unsigned char out[SHORT], in[COUNT][SHORT];

/* The receives of rank 1; rank 0 sends those for which it was asked. */
static void post(MPI_Request requests[COUNT], MPI_Comm comm) {
  for (int i = 0; i < COUNT; ++i) {
    blank(in[i], SHORT);
    MPI_Irecv(in[i], SHORT, MPI_BYTE, 0, i, comm, &requests[i]);
  }
}

/* Rank 0 sends message `tag` of `bytes` bytes when rank 1 asks for it. */
static void send_when_asked(int tag, int bytes, MPI_Comm comm) {
  hear(1, comm);
  fill(out, SHORT, tag);
  MPI_Send(out, bytes, MPI_BYTE, 1, tag, comm);
}

static void mark(MPI_Status statuses[], int count) {
  for (int i = 0; i < count; ++i) {
    statuses[i] = odd_status();
    statuses[i].MPI_ERROR = KEPT;
  }
}

static void any_completes_one(MPI_Comm comm) {
  static const int order[COUNT] = {2, 0, 3, 1};
  MPI_Request requests[COUNT];
  if (rank_in(comm) == 0) {
    for (int i = 0; i < COUNT; ++i) send_when_asked(order[i], SHORT - i, comm);
    return;
  }
  post(requests, comm);
  for (int i = 0; i < COUNT; ++i) {
    MPI_Status status = odd_status();
    int index = -1;
    tell(0, comm);
    MPI_Waitany(COUNT, requests, &index, &status);
    CHECK_EQUAL(index, order[i]);
    CHECK_STATUS(status, 0, order[i], SHORT - i);
    CHECK(intact(in[order[i]], SHORT - i, order[i]));
    for (int k = 0; k < COUNT; ++k) {
      int gone = 0;
      for (int j = 0; j <= i; ++j) gone = gone || order[j] == k;
      CHECK_EQUAL(requests[k] == MPI_REQUEST_NULL, gone);
    }
  }
}

/* All are complete: each call still takes exactly one, and each is taken once. */
static void any_of_many_complete(MPI_Comm comm) {
  MPI_Request requests[COUNT];
  int taken[COUNT] = {0};
  if (rank_in(comm) == 0) {
    hear(1, comm);
    for (int i = 0; i < COUNT; ++i) MPI_Send(out, SHORT, MPI_BYTE, 1, i, comm);
    tell(1, comm);
    return;
  }
  post(requests, comm);
  tell(0, comm);
  hear(0, comm);
  for (int i = 0; i < COUNT; ++i) {
    int index = -1;
    int flag = 0;
    int left = 0;
    if (i % 2 == 0) MPI_Waitany(COUNT, requests, &index, MPI_STATUS_IGNORE);
    while (i % 2 == 1 && !flag) MPI_Testany(COUNT, requests, &index, &flag, MPI_STATUS_IGNORE);
    if (CHECK(index >= 0 && index < COUNT)) ++taken[index];
    for (int k = 0; k < COUNT; ++k) left += requests[k] != MPI_REQUEST_NULL;
    CHECK_EQUAL(left, COUNT - 1 - i);
  }
  for (int i = 0; i < COUNT; ++i) CHECK_EQUAL(taken[i], 1);
}

static void testany_none_yet(MPI_Comm comm) {
  MPI_Request requests[COUNT];
  if (rank_in(comm) == 0) {
    for (int i = 0; i < COUNT; ++i) send_when_asked(COUNT - 1 - i, SHORT, comm);
    return;
  }
  post(requests, comm);
  for (int i = 0; i < COUNT; ++i) {
    MPI_Status status = odd_status();
    int index = -1;
    int flag = 1;
    MPI_Testany(COUNT, requests, &index, &flag, &status);
    CHECK_EQUAL(flag, 0);
    CHECK_EQUAL(index, MPI_UNDEFINED);
    tell(0, comm);
    while (!flag) MPI_Testany(COUNT, requests, &index, &flag, &status);
    CHECK_EQUAL(index, COUNT - 1 - i);
    CHECK_STATUS(status, 0, COUNT - 1 - i, SHORT);
    CHECK(requests[COUNT - 1 - i] == MPI_REQUEST_NULL);
  }
}

/* Successful completion sets everything but MPI_ERROR. */
static void all_complete_well(MPI_Comm comm) {
  MPI_Request requests[COUNT];
  MPI_Status statuses[COUNT];
  if (rank_in(comm) == 0) {
    hear(1, comm);
    for (int i = COUNT - 1; i >= 0; --i) MPI_Send(out, i, MPI_BYTE, 1, i, comm);
    return;
  }
  post(requests, comm);
  mark(statuses, COUNT);
  tell(0, comm);
  MPI_Waitall(COUNT, requests, statuses);
  for (int i = 0; i < COUNT; ++i) {
    CHECK(requests[i] == MPI_REQUEST_NULL);
    CHECK_STATUS(statuses[i], 0, i, i);
    CHECK_EQUAL(statuses[i].MPI_ERROR, KEPT);
  }
}

/* The third message is too long for its receive. */
static void send_with_a_long_one(int bytes, MPI_Comm comm) {
  hear(1, comm);
  fill(out, SHORT, 1);
  for (int i = 0; i < COUNT; ++i) MPI_Send(out, i == 2 ? SHORT : bytes, MPI_BYTE, 1, i, comm);
}

static void post_short(MPI_Request requests[COUNT], int bytes, MPI_Comm comm) {
  for (int i = 0; i < COUNT; ++i) MPI_Irecv(in[i], bytes, MPI_BYTE, 0, i, comm, &requests[i]);
  tell(0, comm);
}

static void check_errors(const MPI_Status statuses[COUNT], const MPI_Request requests[COUNT]) {
  for (int i = 0; i < COUNT; ++i) {
    const int class_found = error_class(statuses[i].MPI_ERROR);
    if (i == 2) CHECK_EQUAL(class_found, MPI_ERR_TRUNCATE);
    if (i != 2) CHECK(statuses[i].MPI_ERROR == MPI_SUCCESS || class_found == MPI_ERR_PENDING);
    if (class_found == MPI_ERR_PENDING) CHECK(requests[i] != MPI_REQUEST_NULL);
    if (class_found != MPI_ERR_PENDING) CHECK_STATUS(statuses[i], 0, i, 8);
  }
}

static void all_with_a_failure(MPI_Comm comm) {
  MPI_Request requests[COUNT];
  MPI_Status statuses[COUNT];
  returning(comm);
  for (int by_test = 0; by_test < 2; ++by_test) {
    if (rank_in(comm) == 0) {
      send_with_a_long_one(8, comm);
      continue;
    }
    int flag = 0;
    int code = MPI_SUCCESS;
    post_short(requests, 8, comm);
    mark(statuses, COUNT);
    if (!by_test) code = MPI_Waitall(COUNT, requests, statuses);
    while (by_test && !flag && code == MPI_SUCCESS)
      code = MPI_Testall(COUNT, requests, &flag, statuses);
    CHECK_CLASS(code, MPI_ERR_IN_STATUS);
    check_errors(statuses, requests);
    MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COUNT; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  }
}

/* Wrong arguments are no failure of an operation: another code, and no status is written. */
static void wrong_arguments(MPI_Comm comm) {
  (void)comm;
  MPI_Errhandler self;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &self);
  returning(MPI_COMM_SELF);
  mark(&status, 1);
  const int code = MPI_Waitall(-1, &request, &status);
  CHECK(code != MPI_SUCCESS && error_class(code) != MPI_ERR_IN_STATUS);
  CHECK_EQUAL(status.MPI_ERROR, KEPT);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
  MPI_Errhandler_free(&self);
}

/* Single completions leave MPI_ERROR alone, whatever happens. */
static void single_completions_keep_the_error_field(MPI_Comm comm) {
  MPI_Request requests[COUNT];
  MPI_Status status;
  int index;
  returning(comm);
  if (rank_in(comm) == 0) {
    send_with_a_long_one(8, comm);
    return;
  }
  post_short(requests, 8, comm);
  for (int i = 0; i < COUNT; ++i) {
    mark(&status, 1);
    const int code = i % 2 == 0 ? MPI_Wait(&requests[i], &status)
                                : MPI_Waitany(1, &requests[i], &index, &status);
    CHECK_CLASS(code, i == 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    CHECK_EQUAL(status.MPI_ERROR, KEPT);
    CHECK_STATUS(status, 0, i, 8);
  }
}

/* One is complete, one is not: MPI_Testall says no and touches nothing. */
static void testall_takes_all_or_none(MPI_Comm comm) {
  MPI_Request requests[2], before[2];
  MPI_Status statuses[2];
  if (rank_in(comm) == 0) {
    hear(1, comm);
    MPI_Send(out, 5, MPI_BYTE, 1, 0, comm);
    tell(1, comm);
    send_when_asked(1, 6, comm);
    return;
  }
  int flag = 1;
  MPI_Irecv(in[0], SHORT, MPI_BYTE, 0, 0, comm, &requests[0]);
  MPI_Recv_init(in[1], SHORT, MPI_BYTE, 0, 1, comm, &requests[1]);
  MPI_Start(&requests[1]);
  tell(0, comm);
  hear(0, comm);
  memcpy(before, requests, sizeof before);
  for (int i = 0; i < 5; ++i) {
    MPI_Testall(2, requests, &flag, statuses);
    CHECK(!flag && memcmp(before, requests, sizeof before) == 0);
  }
  tell(0, comm);
  while (!flag) MPI_Testall(2, requests, &flag, statuses);
  CHECK_STATUS(statuses[0], 0, 0, 5);
  CHECK_STATUS(statuses[1], 0, 1, 6);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == before[1]);
  MPI_Request_free(&requests[1]);
}

static void some_that_are_complete(MPI_Comm comm) {
  MPI_Request requests[COUNT];
  MPI_Status statuses[COUNT];
  int indices[COUNT];
  int count = -1;
  if (rank_in(comm) == 0) {
    for (int i = COUNT - 1; i >= 0; --i) send_when_asked(i, i + 1, comm);
    return;
  }
  post(requests, comm);
  MPI_Testsome(COUNT, requests, &count, indices, statuses);
  CHECK_EQUAL(count, 0);
  for (int i = COUNT - 1; i >= 0; --i) {
    mark(statuses, COUNT);
    indices[1] = -5;
    tell(0, comm);
    count = 0;
    if (i % 2 == 0) MPI_Waitsome(COUNT, requests, &count, indices, statuses);
    while (i % 2 == 1 && count == 0) MPI_Testsome(COUNT, requests, &count, indices, statuses);
    CHECK(count == 1 && indices[0] == i && indices[1] == -5);
    CHECK_STATUS(statuses[0], 0, i, i + 1);
    CHECK(statuses[0].MPI_ERROR == KEPT && statuses[1].MPI_ERROR == KEPT);
    for (int k = 0; k < COUNT; ++k) CHECK_EQUAL(requests[k] == MPI_REQUEST_NULL, k >= i);
  }
}

/* A failure among some counts as a completion; the errors are in the first statuses. */
static void some_with_a_failure(MPI_Comm comm) {
  MPI_Request requests[COUNT];
  MPI_Status statuses[COUNT];
  int indices[COUNT];
  returning(comm);
  if (rank_in(comm) == 0) {
    send_with_a_long_one(8, comm);
    return;
  }
  post_short(requests, 8, comm);
  int failures = 0;
  for (int done = 0; done < COUNT;) {
    int count = 0;
    int wrong = 0;
    mark(statuses, COUNT);
    const int code = done % 2 == 0 ? MPI_Waitsome(COUNT, requests, &count, indices, statuses)
                                   : MPI_Testsome(COUNT, requests, &count, indices, statuses);
    for (int i = 0; i < count; ++i) wrong += indices[i] == 2;
    CHECK_CLASS(code, wrong ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
    for (int i = 0; i < count; ++i) {
      const int class_wanted = indices[i] == 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
      CHECK(requests[indices[i]] == MPI_REQUEST_NULL);
      if (wrong) CHECK_CLASS(statuses[i].MPI_ERROR, class_wanted);
      if (!wrong) CHECK_EQUAL(statuses[i].MPI_ERROR, KEPT);
    }
    failures += wrong;
    done += count;
  }
  CHECK_EQUAL(failures, 1);
}

/* One request is complete at every call; the other one, whose message is under way, must be seen
 * some time. */
static void nobody_starves(MPI_Comm comm) {
  if (rank_in(comm) == 0) {
    hear(1, comm);
    for (int i = 0; i < 2; ++i) MPI_Send(out, SHORT, MPI_BYTE, 1, i, comm);
    return;
  }
  for (int by_test = 0; by_test < 2; ++by_test) {
    MPI_Request requests[2];
    int indices[2];
    int count = 0;
    MPI_Irecv(in[1], SHORT, MPI_BYTE, 0, by_test, comm, &requests[1]);
    if (by_test == 0) tell(0, comm);
    do {
      MPI_Irecv(in[0], SHORT, MPI_BYTE, MPI_PROC_NULL, 0, comm, &requests[0]);
      if (by_test) MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
      if (!by_test) MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
      CHECK(count >= 1 && indices[0] == 0);
    } while (requests[1] != MPI_REQUEST_NULL);
  }
}

/* All that can be completed is completed by one call. */
static void some_takes_everything(MPI_Comm comm) {
  MPI_Request requests[COUNT];
  int indices[COUNT];
  int count = 0;
  if (rank_in(comm) == 0) {
    hear(1, comm);
    for (int i = 0; i < COUNT; ++i) MPI_Ssend(out, SHORT, MPI_BYTE, 1, i, comm);
    tell(1, comm);
    return;
  }
  post(requests, comm);
  tell(0, comm);
  hear(0, comm);
  MPI_Waitsome(COUNT, requests, &count, indices, MPI_STATUSES_IGNORE);
  CHECK_EQUAL(count, COUNT);
  MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE);
}

static const Case cases[] = {
    {"req 2.3.41", "MPI_Waitany completes one and says which", 2, any_completes_one},
    {"req 2.3.41, req 2.3.42", "of many that are complete one is taken at a time", 2,
     any_of_many_complete},
    {"req 2.3.42", "MPI_Testany says that none is complete yet", 2, testany_none_yet},
    {"req 2.3.43, req 2.3.44", "MPI_Waitall completes all and leaves MPI_ERROR alone", 2,
     all_complete_well},
    {"req 2.3.43", "a failure among all is told in the status of each", 2, all_with_a_failure},
    {"req 2.3.44", "wrong arguments are not told in the statuses", 1, wrong_arguments},
    {"req 2.3.44", "single completions leave MPI_ERROR alone", 2,
     single_completions_keep_the_error_field},
    {"req 2.3.45", "MPI_Testall completes all or none", 2, testall_takes_all_or_none},
    {"req 2.3.46, req 2.3.44", "MPI_Waitsome and MPI_Testsome tell which are complete", 2,
     some_that_are_complete},
    {"req 2.3.46", "a failure among some is told in their statuses", 2, some_with_a_failure},
    {"req 2.3.47", "an operation offered again and again completes some time", 2, nobody_starves},
    {"req 2.3.47", "one call takes everything that is complete", 2, some_takes_everything},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
