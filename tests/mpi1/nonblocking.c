/* SPDX-License-Identifier: BSD-3-Clause
   Nonblocking operations: posting is local, completion gives the request back, and freeing a
   request stops nothing. */
#define _POSIX_C_SOURCE 200809L /* signals between processes */
#include <signal.h>
#include <unistd.h>

#include "messages.h"

static Bytes out, in;

/* ---- a process that is outside of the library ---- */

/* Until wake() the process makes no call of the library. */
static void sleep_outside(int waker, MPI_Comm comm) {
  const int me = (int)getpid();
  sigset_t signals;
  int number;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  MPI_Ssend(&me, 1, MPI_INT, waker, SIGNAL_TAG, comm);
  sigwait(&signals, &number);
  sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

static int hear_of_sleeper(int sleeper, MPI_Comm comm) {
  int pid = 0;
  MPI_Recv(&pid, 1, MPI_INT, sleeper, SIGNAL_TAG, comm, MPI_STATUS_IGNORE);
  return pid;
}

static void wake(int pid) {
  kill((pid_t)pid, SIGUSR1);
}

/* The other process calls nothing at all: posting, however much, returns all the same. */
static void posting_is_local(MPI_Comm comm) {
  enum { MANY = 1000 };
  static MPI_Request requests[2 * MANY + 2];
  static int values[MANY], got[MANY];
  if (rank_in(comm) == 0) {
    const int sleeper = hear_of_sleeper(1, comm);
    fill(out, LONG, 1);
    for (int i = 0; i < MANY; ++i) {
      values[i] = i;
      MPI_Irecv(&got[i], 1, MPI_INT, 1, i, comm, &requests[i]);
      if (i % 2 == 0) MPI_Isend(&values[i], 1, MPI_INT, 1, i, comm, &requests[MANY + i]);
      if (i % 2 == 1) MPI_Issend(&values[i], 1, MPI_INT, 1, i, comm, &requests[MANY + i]);
    }
    MPI_Isend(out, LONG, MPI_BYTE, 1, MANY, comm, &requests[2 * MANY]);
    MPI_Issend(out, LONG, MPI_BYTE, 1, MANY, comm, &requests[2 * MANY + 1]);
    wake(sleeper);
    MPI_Waitall(2 * MANY + 2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; ++i) CHECK_EQUAL(got[i], 2 * i);
    return;
  }
  sleep_outside(0, comm);
  for (int i = 0; i < MANY; ++i) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, 0, i, comm, MPI_STATUS_IGNORE);
    CHECK_EQUAL(value, i);
    value *= 2;
    MPI_Send(&value, 1, MPI_INT, 0, i, comm);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Recv(in, LONG, MPI_BYTE, 0, MANY, comm, MPI_STATUS_IGNORE);
    CHECK(intact(in, LONG, 1));
  }
}

/* A cancelled receive is complete whatever others do. */
static void cancelled_receives_complete_alone(MPI_Comm comm) {
  if (rank_in(comm) == 1) {
    sleep_outside(0, comm);
    return;
  }
  const int sleeper = hear_of_sleeper(1, comm);
  MPI_Request request;
  MPI_Status status = odd_status();
  blank(in, SHORT);
  MPI_Irecv(in, SHORT, MPI_BYTE, 1, 5, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  wake(sleeper);
  CHECK(request == MPI_REQUEST_NULL && cancelled(&status) && untouched(in, SHORT));
}

/* The data of pending sends may be read, also by other sends. */
static void sending_twice_and_reading(MPI_Comm comm) {
  for (int s = 0; s < 2; ++s) {
    const int bytes = both_sizes[s];
    MPI_Request requests[2];
    if (rank_in(comm) == 0) {
      fill(out, bytes, s);
      for (int i = 0; i < 2; ++i) MPI_Isend(out, bytes, MPI_BYTE, 1, 5 + i, comm, &requests[i]);
      CHECK(intact(out, bytes, s));
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      CHECK(intact(out, bytes, s));
    } else {
      for (int i = 1; i >= 0; --i) {
        MPI_Recv(in, bytes, MPI_BYTE, 0, 5 + i, comm, MPI_STATUS_IGNORE);
        CHECK(intact(in, bytes, s));
      }
    }
  }
}

static void handles_become_null(MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status = odd_status();
  if (rank_in(comm) == 0) {
    int flag = 0;
    MPI_Issend(out, SHORT, MPI_BYTE, 1, 5, comm, &request);
    MPI_Request same = request;
    MPI_Test(&request, &flag, &status);
    CHECK(!flag && request == same && request != MPI_REQUEST_NULL);
    tell(1, comm);
    while (!flag) MPI_Test(&request, &flag, &status);
    CHECK(request == MPI_REQUEST_NULL);
    return;
  }
  hear(0, comm);
  MPI_Irecv(in, LONG, MPI_BYTE, 0, 5, comm, &request);
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Wait(&request, &status);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_STATUS(status, 0, 5, SHORT);
}

/* MPI_Test turns true when MPI_Wait would return, with the status that it would give; before,
 * neither changes a thing. */
static void test_is_wait(MPI_Comm comm) {
  MPI_Request requests[2];
  if (rank_in(comm) == 0) {
    hear(1, comm);
    for (int i = 0; i < 2; ++i) MPI_Send(out, SHORT + i, MPI_BYTE, 1, 5 + i, comm);
    return;
  }
  MPI_Status by_test = odd_status();
  MPI_Status by_wait = odd_status();
  int flag = 1;
  for (int i = 0; i < 2; ++i)
    MPI_Irecv(in, LONG, MPI_BYTE, MPI_ANY_SOURCE, 5 + i, comm, &requests[i]);
  for (int i = 0; i < 20; ++i) {
    MPI_Test(&requests[0], &flag, &by_test);
    CHECK_EQUAL(flag, 0);
  }
  tell(0, comm);
  while (!flag) MPI_Test(&requests[0], &flag, &by_test);
  CHECK_STATUS(by_test, 0, 5, SHORT);
  MPI_Wait(&requests[1], &by_wait);
  CHECK_STATUS(by_wait, 0, 6, SHORT + 1);
}

/* The request is gone at once, the message comes all the same. */
static void freed_sends_are_delivered(MPI_Comm comm) {
  for (int round = 0; round < 6; ++round) {
    const int bytes = both_sizes[round % 2];
    MPI_Request request;
    if (rank_in(comm) == 0) {
      fill(out, bytes, round);
      if (round / 2 == 0) MPI_Isend(out, bytes, MPI_BYTE, 1, 5, comm, &request);
      if (round / 2 == 1) MPI_Issend(out, bytes, MPI_BYTE, 1, 5, comm, &request);
      if (round / 2 == 2) {
        MPI_Send_init(out, bytes, MPI_BYTE, 1, 5, comm, &request);
        MPI_Start(&request);
      }
      MPI_Request_free(&request);
      CHECK(request == MPI_REQUEST_NULL);
      hear(1, comm); /* the buffer may be used again */
    } else {
      MPI_Recv(in, LONG, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
      CHECK(intact(in, bytes, round));
      tell(0, comm);
    }
  }
}

/* The buffer of a freed receive fills: the last byte of a message tells, while probing lets it
 * come. */
static void freed_receives_fill(MPI_Comm comm) {
  for (int round = 0; round < 4; ++round) {
    const int bytes = both_sizes[round % 2];
    MPI_Request request;
    if (rank_in(comm) == 0) {
      hear(1, comm);
      fill(out, bytes, round);
      MPI_Send(out, bytes, MPI_BYTE, 1, 5, comm);
      hear(1, comm);
      continue;
    }
    int flag;
    blank(in, LONG);
    if (round < 2) MPI_Irecv(in, bytes, MPI_BYTE, 0, 5, comm, &request);
    if (round >= 2) MPI_Recv_init(in, bytes, MPI_BYTE, 0, 5, comm, &request);
    if (round >= 2) MPI_Start(&request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    tell(0, comm);
    do {
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    } while (!intact(in, bytes, round));
    CHECK(untouched(in + bytes, LONG - bytes));
    tell(0, comm);
  }
}

/* A reply tells that the message came: requests of sends are freed at once, thousands of times. */
static void ping_pong_with_freed_requests(MPI_Comm comm) {
  enum { ROUNDS = 300 };
  const int me = rank_in(comm);
  int value = -1;
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request request;
    int mine = 2 * i + me;
    if (me == 0) {
      MPI_Isend(&mine, 1, MPI_INT, 1, 5, comm, &request);
      MPI_Request_free(&request);
    }
    MPI_Recv(&value, 1, MPI_INT, 1 - me, 5, comm, MPI_STATUS_IGNORE);
    CHECK_EQUAL(value, 2 * i + 1 - me);
    if (me == 1) {
      MPI_Isend(&mine, 1, MPI_INT, 0, 5, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

static const Case cases[] = {
    {"req 2.3.31", "posting is local, however many operations are pending", 2, posting_is_local},
    {"req 2.3.58", "waiting for a cancelled receive is local", 2,
     cancelled_receives_complete_alone},
    {"req 2.3.32", "the buffer of a pending send may be read and sent again", 2,
     sending_twice_and_reading},
    {"req 2.3.33", "completion makes the handle null, an unsuccessful test leaves it", 2,
     handles_become_null},
    {"req 2.3.34", "MPI_Test succeeds when MPI_Wait would, with the same status", 2, test_is_wait},
    {"req 2.3.35, req 2.3.64", "a send whose request was freed is delivered", 2,
     freed_sends_are_delivered},
    {"req 2.3.37, req 2.3.64", "a receive whose request was freed still receives", 2,
     freed_receives_fill},
    {"req 2.3.35, ex 2.19, req errata 1.17", "a ping-pong that frees its requests", 2,
     ping_pong_with_freed_requests},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
