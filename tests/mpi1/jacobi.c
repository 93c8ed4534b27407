/* SPDX-License-Identifier: BSD-3-Clause
   Jacobi's iteration in the eight ways of the book. Every parallel one must give the sequential
   result, bit by bit. */
#include <stdlib.h>

#include "messages.h"

enum { ROWS = 12, STEPS = 3, UP_TAG = 1, DOWN_TAG = 2 };

/* The inner rows 1..rows of a process, between two rows of its neighbours or of the border. */
typedef struct {
  int rows, width; /* without the border */
  int rank, ranks;
  double *a, *b;
  MPI_Comm comm;
} Block;

static const int widths[] = {24, 33000}; /* rows of less than 1 KiB, and of more than 256 KiB */

static double* row(const Block* block, double* field, int i) {
  return field + i * (block->width + 2);
}

static size_t bytes_of(int rows, int width) {
  return (size_t)(rows + 2) * (size_t)(width + 2) * sizeof(double);
}

/* The field at the beginning, of which a block has the rows from `first` on. */
static void begin(Block* block, int first) {
  block->a = malloc(bytes_of(block->rows, block->width));
  block->b = malloc(bytes_of(block->rows, block->width));
  for (int i = 0; i <= block->rows + 1; ++i) {
    for (int j = 0; j <= block->width + 1; ++j)
      row(block, block->a, i)[j] = ((first + i) * 37 + j * 11) % 101;
  }
}

static void end(Block* block) {
  free(block->a);
  free(block->b);
}

static void relax(const Block* block, int from, int to) {
  for (int i = from; i <= to; ++i) {
    const double* above = row(block, block->a, i - 1);
    const double* here = row(block, block->a, i);
    const double* below = row(block, block->a, i + 1);
    double* result = row(block, block->b, i);
    for (int j = 1; j <= block->width; ++j)
      result[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
  }
}

static void keep(const Block* block) {
  for (int i = 1; i <= block->rows; ++i) {
    memcpy(row(block, block->a, i) + 1, row(block, block->b, i) + 1,
           (size_t)block->width * sizeof(double));
  }
}

/* ---- the ways to exchange rows after each step ---- */

typedef void Exchange(const Block* block);

static int up(const Block* block) {
  return block->rank == 0 ? MPI_PROC_NULL : block->rank - 1;
}
static int down(const Block* block) {
  return block->rank == block->ranks - 1 ? MPI_PROC_NULL : block->rank + 1;
}

static void receive_row(const Block* block, int i, int from, int tag) {
  MPI_Recv(row(block, block->a, i), block->width + 2, MPI_DOUBLE, from, tag, block->comm,
           MPI_STATUS_IGNORE);
}

static void send_row(const Block* block, int i, int to, int tag) {
  MPI_Send(row(block, block->a, i), block->width + 2, MPI_DOUBLE, to, tag, block->comm);
}

/* All send first: that counts on buffering, which is given here. */
static void send_first(const Block* block) {
  const int count = block->width + 2;
  if (block->rank > 0)
    MPI_Bsend(row(block, block->a, 1), count, MPI_DOUBLE, up(block), UP_TAG, block->comm);
  if (block->rank < block->ranks - 1) {
    MPI_Bsend(row(block, block->a, block->rows), count, MPI_DOUBLE, down(block), DOWN_TAG,
              block->comm);
    receive_row(block, block->rows + 1, down(block), UP_TAG);
  }
  if (block->rank > 0) receive_row(block, 0, up(block), DOWN_TAG);
}

/* Odd processes send first, even ones receive first. */
static void odd_and_even(const Block* block) {
  const int odd = block->rank % 2;
  for (int turn = 0; turn < 2; ++turn) {
    if (turn == odd) {
      if (block->rank < block->ranks - 1) receive_row(block, block->rows + 1, down(block), UP_TAG);
      if (block->rank > 0) receive_row(block, 0, up(block), DOWN_TAG);
    } else {
      if (block->rank > 0) send_row(block, 1, up(block), UP_TAG);
      if (block->rank < block->ranks - 1) send_row(block, block->rows, down(block), DOWN_TAG);
    }
  }
}

static void both_at_once(const Block* block, int to, int send, int from, int receive, int tag) {
  const int count = block->width + 2;
  MPI_Sendrecv(row(block, block->a, send), count, MPI_DOUBLE, to, tag,
               row(block, block->a, receive), count, MPI_DOUBLE, from, tag, block->comm,
               MPI_STATUS_IGNORE);
}

/* The processes at the ends have only one half to do. */
static void sendrecv_with_ends(const Block* block) {
  const int last = block->ranks - 1;
  if (block->rank > 0 && block->rank < last) {
    both_at_once(block, up(block), 1, down(block), block->rows + 1, UP_TAG);
    both_at_once(block, down(block), block->rows, up(block), 0, DOWN_TAG);
  } else if (block->ranks > 1 && block->rank == 0) {
    receive_row(block, block->rows + 1, 1, UP_TAG);
    send_row(block, block->rows, 1, DOWN_TAG);
  } else if (block->ranks > 1) {
    send_row(block, 1, up(block), UP_TAG);
    receive_row(block, 0, up(block), DOWN_TAG);
  }
}

static void sendrecv_with_nobody(const Block* block) {
  both_at_once(block, up(block), 1, down(block), block->rows + 1, UP_TAG);
  both_at_once(block, down(block), block->rows, up(block), 0, DOWN_TAG);
}

/* Outer rows first, from B; their messages travel while the inner rows are computed. */
static void begin_exchange(const Block* block, MPI_Request requests[4]) {
  const int count = block->width + 2;
  const int rows = block->rows;
  for (int i = 1; i <= rows;
       i += rows > 1 ? rows - 1 : 1) { /* the borders at both sides travel too */
    row(block, block->b, i)[0] = row(block, block->a, i)[0];
    row(block, block->b, i)[count - 1] = row(block, block->a, i)[count - 1];
  }
  MPI_Isend(row(block, block->b, 1), count, MPI_DOUBLE, up(block), UP_TAG, block->comm,
            &requests[0]);
  MPI_Isend(row(block, block->b, rows), count, MPI_DOUBLE, down(block), DOWN_TAG, block->comm,
            &requests[1]);
  MPI_Irecv(row(block, block->a, 0), count, MPI_DOUBLE, up(block), DOWN_TAG, block->comm,
            &requests[2]);
  MPI_Irecv(row(block, block->a, rows + 1), count, MPI_DOUBLE, down(block), UP_TAG, block->comm,
            &requests[3]);
}

static void step_with_overlap(const Block* block, int all_at_once) {
  MPI_Request requests[4];
  relax(block, 1, 1);
  relax(block, block->rows, block->rows);
  begin_exchange(block, requests);
  relax(block, 2, block->rows - 1);
  keep(block);
  if (all_at_once) MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; !all_at_once && i < 4; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* ---- whole solutions ---- */

static void solve(const Block* block, Exchange* exchange, int steps) {
  for (int step = 0; step < steps; ++step) {
    relax(block, 1, block->rows);
    keep(block);
    if (exchange != NULL) exchange(block);
  }
}

static void solve_with_waits(const Block* block) {
  for (int step = 0; step < STEPS; ++step) step_with_overlap(block, 0);
}

static void solve_with_waitall(const Block* block) {
  for (int step = 0; step < STEPS; ++step) step_with_overlap(block, 1);
}

static void solve_with_persistent_requests(const Block* block) {
  const int count = block->width + 2;
  const int rows = block->rows;
  MPI_Request requests[4];
  MPI_Send_init(row(block, block->b, 1), count, MPI_DOUBLE, up(block), UP_TAG, block->comm,
                &requests[0]);
  MPI_Send_init(row(block, block->b, rows), count, MPI_DOUBLE, down(block), DOWN_TAG, block->comm,
                &requests[1]);
  MPI_Recv_init(row(block, block->a, 0), count, MPI_DOUBLE, up(block), DOWN_TAG, block->comm,
                &requests[2]);
  MPI_Recv_init(row(block, block->a, rows + 1), count, MPI_DOUBLE, down(block), UP_TAG, block->comm,
                &requests[3]);
  memcpy(block->b, block->a, bytes_of(rows, block->width)); /* the borders at both sides */
  for (int step = 0; step < STEPS; ++step) {
    relax(block, 1, 1);
    relax(block, rows, rows);
    MPI_Startall(4, requests);
    relax(block, 2, rows - 1);
    keep(block);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
}

static void solve_sending_first(const Block* block) {
  const int bytes = 2 * ((block->width + 2) * (int)sizeof(double) + MPI_BSEND_OVERHEAD);
  void* buffer = malloc((size_t)bytes);
  int size;
  for (int step = 0; step < STEPS; ++step) {
    MPI_Buffer_attach(buffer, bytes);
    solve(block, send_first, 1);
    MPI_Buffer_detach(&buffer, &size);
  }
  free(buffer);
}
static void solve_odd_and_even(const Block* block) {
  solve(block, odd_and_even, STEPS);
}
static void solve_with_sendrecv(const Block* block) {
  solve(block, sendrecv_with_ends, STEPS);
}
static void solve_with_proc_null(const Block* block) {
  solve(block, sendrecv_with_nobody, STEPS);
}

/* ---- comparison ---- */

/* The sequential solution of this width, computed once. */
static const Block* expected(int which) {
  static Block solved[2];
  Block* whole = &solved[which];
  if (whole->a != NULL) return whole;
  *whole = (Block){.rows = ROWS, .width = widths[which], .ranks = 1, .comm = MPI_COMM_NULL};
  begin(whole, 0);
  solve(whole, NULL, STEPS);
  return whole;
}

static void compare(MPI_Comm comm, int which, void (*solution)(const Block* block)) {
  const int n = size_of(comm);
  const int me = rank_in(comm);
  const int first = ROWS * me / n;
  const Block* whole = expected(which);
  Block mine = {.rows = ROWS * (me + 1) / n - first,
                .width = widths[which],
                .rank = me,
                .ranks = n,
                .comm = comm};
  begin(&mine, first);
  solution(&mine);
  const size_t bytes = (size_t)mine.rows * (size_t)(mine.width + 2) * sizeof(double);
  CHECK(memcmp(row(&mine, mine.a, 1), row(whole, whole->a, first + 1), bytes) == 0);
  end(&mine);
}

static void compare_all(MPI_Comm comm, void (*solution)(const Block* block)) {
  for (int i = 0; size_of(comm) <= ROWS && i < 2; ++i) compare(comm, i, solution);
}

static void sending_first(MPI_Comm comm) {
  compare_all(comm, solve_sending_first);
}
static void by_odd_and_even(MPI_Comm comm) {
  compare_all(comm, solve_odd_and_even);
}
static void by_sendrecv(MPI_Comm comm) {
  compare_all(comm, solve_with_sendrecv);
}
static void by_proc_null(MPI_Comm comm) {
  compare_all(comm, solve_with_proc_null);
}
static void by_waits(MPI_Comm comm) {
  compare_all(comm, solve_with_waits);
}
static void by_waitall(MPI_Comm comm) {
  compare_all(comm, solve_with_waitall);
}
static void by_persistent_requests(MPI_Comm comm) {
  compare_all(comm, solve_with_persistent_requests);
}

/* The sequential program itself: a field that is linear in both directions is its own solution. */
static void sequentially(MPI_Comm comm) {
  Block whole = {.rows = ROWS, .width = widths[0], .ranks = 1, .comm = comm};
  begin(&whole, 0);
  for (int i = 0; i <= ROWS + 1; ++i) {
    for (int j = 0; j <= whole.width + 1; ++j) row(&whole, whole.a, i)[j] = 4 * i + 8 * j;
  }
  row(&whole, whole.a, 5)[7] = 1000;
  solve(&whole, NULL, 1);
  CHECK(row(&whole, whole.a, 5)[7] == 4 * 5 + 8 * 7);
  CHECK(row(&whole, whole.a, 4)[7] == (4 * (4 * 4 + 8 * 7) + 1000 - (4 * 5 + 8 * 7)) / 4.0);
  CHECK(row(&whole, whole.a, 9)[9] == 4 * 9 + 8 * 9);
  end(&whole);
}

static const Case cases[] = {
    {"ex 2.11", "the sequential program", 1, sequentially},
    {"ex 2.12", "all send first, buffered", ANY, sending_first},
    {"ex 2.13", "odd and even processes take turns", ANY, by_odd_and_even},
    {"req 2.3.26, ex 2.14", "with MPI_Sendrecv", ANY, by_sendrecv},
    {"req 2.3.29, ex 2.15", "with MPI_Sendrecv and MPI_PROC_NULL", ANY, by_proc_null},
    {"req 2.3.32, ex 2.16", "with nonblocking calls and four waits", ANY, by_waits},
    {"req 2.3.43, ex 2.26", "with nonblocking calls and one wait", ANY, by_waitall},
    {"req 2.3.62, ex 2.31", "with persistent requests", ANY, by_persistent_requests},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
