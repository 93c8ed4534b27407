/* SPDX-License-Identifier: BSD-3-Clause
   What a process is told of its environment: predefined attributes, processor name, clock; and
   signals. */
#define _XOPEN_SOURCE 700
#include "case.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

/* The number that a predefined attribute points to. */
static int number_of(int key) {
  int *number = NULL, flag = 0;
  CHECK_EQUAL(MPI_Attr_get(MPI_COMM_WORLD, key, &number, &flag), MPI_SUCCESS);
  return CHECK(flag && number != NULL) ? *number : -12345;
}

static void same_everywhere(MPI_Comm comm, int number) {
  int both[2] = {number, -number}, least[2];
  MPI_Allreduce(both, least, 2, MPI_INT, MPI_MIN, comm);
  CHECK_EQUAL(least[0], -least[1]);
}

static void attributes(MPI_Comm comm) {
  const int keys[4] = {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL};
  MPI_Comm twin;
  int before[4];
  for (int i = 0; i < 4; i++) before[i] = number_of(keys[i]);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) CHECK(keys[i] != keys[j]);
  MPI_Comm_dup(comm, &twin);
  MPI_Comm_free(&twin);
  for (int i = 0; i < 4; i++) CHECK_EQUAL(number_of(keys[i]), before[i]);
}

static void tags(MPI_Comm comm) {
  const int highest = number_of(MPI_TAG_UB), rank = rank_in(comm), size = size_of(comm);
  const int some[5] = {0, 1, 32767, highest - 1, highest};
  CHECK(highest >= 32767);
  same_everywhere(comm, highest);
  for (int i = 0; i < 5; i++) {
    MPI_Status status;
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, some[i], &got, 1, MPI_INT, MPI_ANY_SOURCE,
                 some[i], comm, &status);
    CHECK_EQUAL(got, (rank + size - 1) % size);
    CHECK_EQUAL(status.MPI_TAG, some[i]);
  }
  returning(comm);
  CHECK_CLASS(MPI_Send(&rank, 1, MPI_INT, 0, -1 - highest, comm), MPI_ERR_TAG);
}

static void host_and_io(MPI_Comm comm) {
  const int host = number_of(MPI_HOST), io = number_of(MPI_IO), size = size_of(MPI_COMM_WORLD);
  CHECK(host == MPI_PROC_NULL || (host >= 0 && host < size));
  same_everywhere(comm, host);
  CHECK(io == MPI_ANY_SOURCE || io == MPI_PROC_NULL || (io >= 0 && io < size));
  if (io ==
      MPI_ANY_SOURCE) { /* then everybody can write and read a file by the means of the language */
    FILE* file = tmpfile();
    char text[8] = "";
    if (!CHECK(file != NULL)) return;
    CHECK(fputs("text", file) >= 0 && fseek(file, 0, SEEK_SET) == 0 &&
          fgets(text, sizeof text, file) != NULL);
    CHECK(strcmp(text, "text") == 0);
    fclose(file);
  }
}

/* Times that go around with messages never go back, if the clocks are one. */
static void global_clock(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), global = number_of(MPI_WTIME_IS_GLOBAL);
  CHECK(global == 0 || global == 1);
  same_everywhere(comm, global);
  if (!global) return;
  for (int i = 0; i < 50; i++) {
    double sent = -1;
    if (rank > 0 || i > 0)
      MPI_Recv(&sent, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
    const double now = MPI_Wtime();
    CHECK(now >= sent);
    if (rank < size - 1 || i < 49) MPI_Send(&now, 1, MPI_DOUBLE, (rank + 1) % size, 1, comm);
  }
}

static void processor_name(MPI_Comm comm) {
  char room[MPI_MAX_PROCESSOR_NAME + 2];
  int length = -1;
  (void)comm;
  memset(room, '#', sizeof room);
  MPI_Get_processor_name(room + 1, &length);
  CHECK(room[0] == '#' && room[MPI_MAX_PROCESSOR_NAME + 1] == '#');
  CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME && room[1 + length] == '\0');
  CHECK_EQUAL(strlen(room + 1), length);
  for (int i = 1; i <= length; i++) CHECK(room[i] > ' ' && room[i] < 127);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* An interval lies between one that is inside it and one that is around it, so its unit is the
 * second. */
static void clock_runs(MPI_Comm comm) {
  const double slack = 1e-6, tick = MPI_Wtick(); /* slack: the rounding of the differences */
  const double outer_begin = seconds_now(), begin = MPI_Wtime(), inner_begin = seconds_now();
  double last = begin, least_step = 1e9;
  (void)comm;
  while (seconds_now() < inner_begin + 2e-3) {
    const double now = MPI_Wtime();
    CHECK(now >= last);
    if (now > last && now - last < least_step) least_step = now - last;
    last = now;
  }
  const double inner_end = seconds_now(), end = MPI_Wtime(), outer_end = seconds_now();
  CHECK(end - begin >= inner_end - inner_begin - slack - tick);
  CHECK(end - begin <= outer_end - outer_begin + slack + tick);
  CHECK(tick > 0 && tick <= 1e-3);
  CHECK(least_step >= tick / 2);
}

static volatile sig_atomic_t alarms;
static void count_alarm(int number) {
  alarms += number == SIGALRM;
}

/* Long and short messages while a timer interrupts every system call that can be interrupted. */
static void interrupted(MPI_Comm comm) {
  enum { COUNT = 300000 };
  const int rank = rank_in(comm), size = size_of(comm);
  int *out = malloc(sizeof(int) * COUNT), *in = malloc(sizeof(int) * COUNT), wrong = 0, rounds = 0,
      more = 1;
  const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  struct sigaction action, old;
  memset(&action, 0, sizeof action);
  action.sa_handler = count_alarm; /* no SA_RESTART: calls return with EINTR */
  alarms = 0;
  sigaction(SIGALRM, &action, &old);
  setitimer(ITIMER_REAL, &often, NULL);
  for (; more && rounds < 1000; rounds++) {
    const int from = (rank + size - 1) % size, mine = alarms < 10;
    for (int i = 0; i < COUNT; i++) out[i] = rank + i + rounds, in[i] = -1;
    MPI_Sendrecv(out, COUNT, MPI_INT, (rank + 1) % size, 0, in, COUNT, MPI_INT, from, 0, comm,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; i++) wrong += in[i] != from + i + rounds;
    MPI_Allreduce(&mine, &more, 1, MPI_INT, MPI_MAX,
                  comm); /* until everybody was interrupted often enough */
  }
  setitimer(ITIMER_REAL, &never, NULL);
  sigaction(SIGALRM, &old, NULL);
  CHECK_EQUAL(wrong, 0);
  CHECK(alarms >= 10);
  free(out);
  free(in);
}

static const Case cases[] = {
    {"req 7.3.1, req 7.3.2", "the predefined attributes are pointers to numbers that stay", ANY,
     attributes},
    {"req 7.3.3, req 7.3.2", "tags work from 0 to MPI_TAG_UB, which is at least 32767", ANY, tags},
    {"req 7.3.4, req 7.3.5", "MPI_HOST and MPI_IO are ranks or say that there is none", ANY,
     host_and_io},
    {"req 7.3.6", "a global clock does not go back along messages", 2, global_clock},
    {"req 7.3.7", "the processor has a printable name within its limit", ANY, processor_name},
    {"req 7.3.8, req 7.3.9, ex 7.2-frag",
     "the clock counts seconds, in ticks, and does not go back", ANY, clock_runs},
    {"req 7.3.30", "signals that interrupt system calls change nothing", ANY, interrupted},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
