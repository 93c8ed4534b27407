/* SPDX-License-Identifier: BSD-3-Clause
   Programs that count on buffering of short messages, as many do: the book calls them unsafe, and
   expects them to run. They are run with the usual eager limit only. */
#include "messages.h"

static unsigned char out[SHORT], in[SHORT];

/* Everybody sends, then everybody receives. */
static void all_send_first(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int n = size_of(comm);
  const int previous = (me + n - 1) % n;
  MPI_Status status = odd_status();
  fill(out, SHORT, me);
  MPI_Send(out, SHORT, MPI_BYTE, (me + 1) % n, 5, comm);
  MPI_Recv(in, SHORT, MPI_BYTE, previous, 5, comm, &status);
  CHECK_STATUS(status, previous, 5, SHORT);
  CHECK(intact(in, SHORT, previous));
}

/* Many short messages, to others and to oneself, before anybody receives. */
static void a_thousand_messages(MPI_Comm comm) {
  enum { MANY = 1000 };
  const int me = rank_in(comm);
  const int n = size_of(comm);
  for (int i = 0; i < MANY; ++i) MPI_Send(&i, 1, MPI_INT, (me + i) % n, 5, comm);
  int next[64] = {0};
  for (int i = 0; i < MANY; ++i) {
    const int source = (me + n * MANY - i) % n;
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, source, 5, comm, MPI_STATUS_IGNORE);
    CHECK_EQUAL(value % n, (n + me - source) % n);
    CHECK(value >= next[source]);
    next[source] = value + 1;
  }
}

/* A short standard send completes without its receive. */
static void completes_alone(MPI_Comm comm) {
  if (rank_in(comm) == 0) {
    MPI_Request request;
    MPI_Isend(out, SHORT, MPI_BYTE, 1, 5, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell(1, comm);
    return;
  }
  hear(0, comm);
  MPI_Recv(in, SHORT, MPI_BYTE, 0, 5, comm, MPI_STATUS_IGNORE);
}

/* One step of the iteration that sends first: each process to its neighbours, except at the ends.
 */
static void rows_of_a_field(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int n = size_of(comm);
  double above = -1;
  double below = -1;
  for (int step = 0; step < 20; ++step) {
    const double mine = 100 * step + me;
    if (me > 0) MPI_Send(&mine, 1, MPI_DOUBLE, me - 1, 5, comm);
    if (me < n - 1) MPI_Send(&mine, 1, MPI_DOUBLE, me + 1, 5, comm);
    if (me > 0) MPI_Recv(&above, 1, MPI_DOUBLE, me - 1, 5, comm, MPI_STATUS_IGNORE);
    if (me < n - 1) MPI_Recv(&below, 1, MPI_DOUBLE, me + 1, 5, comm, MPI_STATUS_IGNORE);
    CHECK(me == 0 || above == mine - 1);
    CHECK(me == n - 1 || below == mine + 1);
  }
}

static const Case cases[] = {
    {"req 2.3.20, ex 2.9", "all send first, then all receive", ANY, all_send_first},
    {"req 2.3.20, req 2.3.66", "a thousand short messages before anybody receives", ANY,
     a_thousand_messages},
    {"req 2.3.66", "a short standard send completes without its receive", 2, completes_alone},
    {"req 2.3.20, ex 2.12", "the parallel iteration that sends first", ANY, rows_of_a_field},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
