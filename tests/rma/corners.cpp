// SPDX-License-Identifier: BSD-3-Clause
// What few programs do with windows: absolute addresses, requests that outlive a window, sessions,
// children, many ranks.
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "window.h"

namespace {

using rma::me;
using rma::n;
using rma::Window;

int next() {
  return (me + 1) % n;
}
int previous() {
  return (me + n - 1) % n;
}

const std::int64_t constant[] = {11, 12, 13};  // in memory that cannot be written

// req rma 5.17
void absolute_addresses() {
  Window window(false, 4);
  std::int64_t first = 100 + me, second = 200 + me;
  int lengths[] = {1, 1};
  MPI_Aint places[2];
  MPI_Get_address(&second, &places[0]);
  MPI_Get_address(&first, &places[1]);
  MPI_Datatype both;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT64_T, &both);
  MPI_Type_commit(&both);
  MPI_Win_fence(0, window.win);
  MPI_Put(MPI_BOTTOM, 1, both, next(), 0, 2, MPI_INT64_T, window.win);
  MPI_Put(&constant[1], 2, MPI_INT64_T, next(), 2, 2, MPI_INT64_T, window.win);
  MPI_Win_fence(0, window.win);
  CHECK_EQUAL(window.base[0], 200 + previous());
  CHECK_EQUAL(window.base[1], 100 + previous());
  CHECK_EQUAL(window.base[2], 12);
  CHECK_EQUAL(window.base[3], 13);
  first = second = 0;
  MPI_Get(MPI_BOTTOM, 1, both, next(), 0, 2, MPI_INT64_T, window.win);
  MPI_Win_fence(0, window.win);
  CHECK_EQUAL(second, 200 + me);
  CHECK_EQUAL(first, 100 + me);
  MPI_Type_free(&both);
}

// req rma 8.13
void fetches_in_order() {
  Window window(true, n);
  MPI_Win_lock_all(0, window.win);
  const std::int64_t one = 1, ten[] = {10};
  std::int64_t before[2] = {-1, -1};
  MPI_Fetch_and_op(&one, &before[0], MPI_INT64_T, next(), me, MPI_SUM, window.win);
  MPI_Get_accumulate(ten, 1, MPI_INT64_T, &before[1], 1, MPI_INT64_T, next(), me, 1, MPI_INT64_T,
                     MPI_SUM, window.win);
  MPI_Win_unlock_all(window.win);
  CHECK_EQUAL(before[0], 0);
  CHECK_EQUAL(before[1], 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

// req rma 9.10
void status_of_requests() {
  Window window(false, 2);
  window.base[0] = 40 + me;
  MPI_Win_sync(window.win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window.win);
  std::int64_t value = 0;
  MPI_Request request;
  MPI_Rget(&value, 1, MPI_INT64_T, next(), 0, 1, MPI_INT64_T, window.win, &request);
  MPI_Status status;
  for (int flag = 0; flag == 0;) MPI_Request_get_status(request, &flag, &status);
  CHECK_EQUAL(value, 40 + next());
  CHECK(request != MPI_REQUEST_NULL);
  CHECK_CLASS(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK(request == MPI_REQUEST_NULL);
  MPI_Win_unlock_all(window.win);
  MPI_Barrier(MPI_COMM_WORLD);
}

// req rma 4.18
void request_after_free() {
  MPI_Win win;
  std::int64_t* base;
  MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  base[0] = me;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  std::int64_t sent = 7, got = -1;
  MPI_Request requests[2];
  MPI_Win_lock_all(0, win);
  MPI_Rget(&got, 1, MPI_INT64_T, next(), 0, 1, MPI_INT64_T, win, &requests[0]);
  MPI_Rput(&sent, 1, MPI_INT64_T, next(), 1, 1, MPI_INT64_T, win, &requests[1]);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  CHECK_CLASS(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(got, next());
}

// Stores of the target are seen after it has synchronised, and never undone by what comes later.
// req rma 13.7
void gets_are_recent() {
  Window window(true, 1);
  MPI_Win_lock_all(0, window.win);
  for (std::int64_t round = 1; round <= 100; ++round) {
    window.base[0] = round;
    MPI_Win_sync(window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    std::int64_t seen = -1;
    MPI_Get(&seen, 1, MPI_INT64_T, next(), 0, 1, MPI_INT64_T, window.win);
    MPI_Win_flush(next(), window.win);
    CHECK_EQUAL(seen, round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(window.win);
}

// req rma 13.8
void stores_beside_puts() {
  Window window(false, 64);
  for (std::int64_t round = 1; round <= 50; ++round) {
    MPI_Win_fence(0, window.win);
    for (int word = 0; word < 64; word += 2) {
      MPI_Put(&round, 1, MPI_INT64_T, next(), word, 1, MPI_INT64_T, window.win);
      window.base[word + 1] = -round;
    }
    MPI_Win_fence(0, window.win);
    for (int word = 0; word < 64; word += 2) {
      CHECK_EQUAL(window.base[word], round);
      CHECK_EQUAL(window.base[word + 1], -round);
    }
  }
}

// req rma 1.14
void in_a_session() {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "rma.corners", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  std::int64_t* base;
  MPI_Win win;
  MPI_Win_allocate(8, 8, MPI_INFO_NULL, comm, &base, &win);
  const std::int64_t value = 1000 + me;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT64_T, next(), 0, 1, MPI_INT64_T, win);
  MPI_Win_fence(0, win);
  CHECK_EQUAL(base[0], 1000 + previous());
  MPI_Win_free(&win);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}

// Neither the life of a child nor its end does anything to the window.
// req rma 17.4
void child() {
  Window window(false, 2);
  MPI_Win_fence(0, window.win);
  const pid_t born = fork();
  if (born == 0) _exit(window.base[1] == 0 ? 0 : 1);
  int ended = -1;
  CHECK_EQUAL(waitpid(born, &ended, 0), born);
  CHECK_EQUAL(ended, 0);
  const std::int64_t value = 5;
  MPI_Put(&value, 1, MPI_INT64_T, next(), 0, 1, MPI_INT64_T, window.win);
  MPI_Win_fence(0, window.win);
  CHECK_EQUAL(window.base[0], 5);
}

// One target, all others origins.
// req rma 10.22
void large_group() {
  Window window(true, n);
  MPI_Group all, others, first;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int zero = 0;
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Group_excl(all, 1, &zero, &others);
  if (me == 0) {
    MPI_Win_post(others, 0, window.win);
    MPI_Win_wait(window.win);
    for (int rank = 1; rank < n; ++rank) CHECK_EQUAL(window.base[rank], rank);
  } else {
    const std::int64_t value = me;
    MPI_Win_start(first, 0, window.win);
    MPI_Put(&value, 1, MPI_INT64_T, 0, me, 1, MPI_INT64_T, window.win);
    MPI_Win_complete(window.win);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&others);
  MPI_Group_free(&first);
}

// Windows that nobody frees, one of them in an epoch. Their handles stay where LeakSanitizer finds
// them.
// req rma 4.19
void leave_windows() {
  static std::int64_t memory[4];
  std::int64_t* base;
  static MPI_Win one, two;
  MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &one);
  MPI_Win_allocate(32, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &two);
  MPI_Win_fence(0, two);
  const std::int64_t value = me;
  MPI_Put(&value, 1, MPI_INT64_T, next(), 0, 1, MPI_INT64_T, two);
  MPI_Win_fence(0, two);
}

// req rma 17.2
[[noreturn]] void abort_in_epoch() {
  Window window(false, 1);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win);
  if (me == n - 1) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Win_fence(0, window.win);
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rma::look_around();
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "abort") abort_in_epoch();
  if (part == "large") {
    large_group();
  } else if (part.empty()) {
    absolute_addresses();
    fetches_in_order();
    status_of_requests();
    request_after_free();
    gets_are_recent();
    stores_beside_puts();
    in_a_session();
    child();
    leave_windows();
  }
  MPI_Finalize();
  return 0;
}
