// SPDX-License-Identifier: BSD-3-Clause
// Passive target: the target calls nothing of MPI until all others say, by signals, that what they
// do to its window is done (req rma 14.4, req rma 14.9). Where nobody serves the window meanwhile,
// this never ends.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "window.h"

using rma::me;
using rma::n;

namespace {

constexpr int kTimes = 20;
std::atomic<int> said{0};

void hear(int) {
  said.fetch_add(1, std::memory_order_relaxed);
}

// Signals of this kind are queued: none is lost.
int signal_of_others() {
  return SIGRTMIN;
}

void compute_until_all_are_done(int round) {
  while (said.load(std::memory_order_relaxed) < round * (n - 1)) {
#ifdef __SANITIZE_THREAD__
    usleep(100);  // this sanitizer keeps a signal back until the program calls something
#endif
  }
}

void check_locked_puts(MPI_Win win) {
  for (std::int64_t i = 1; i <= kTimes; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&i, 1, MPI_INT64_T, 0, me, 1, MPI_INT64_T, win);
    MPI_Win_unlock(0, win);
  }
  std::int64_t got = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get(&got, 1, MPI_INT64_T, 0, me, 1, MPI_INT64_T, win);
  MPI_Win_unlock(0, win);
  CHECK_EQUAL(got, kTimes);
}

void check_counter(MPI_Win win) {
  const std::int64_t one = 1;
  std::int64_t before = -1;
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < kTimes; ++i) {
    std::int64_t got = 0;
    MPI_Fetch_and_op(&one, &got, MPI_INT64_T, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    CHECK(got > before);
    before = got;
  }
  MPI_Win_unlock_all(win);
}

// A get that leaves the target in many pieces.
void check_long_get(MPI_Win win, int words) {
  std::vector<std::int64_t> got(static_cast<std::size_t>(words));
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get(got.data(), words, MPI_INT64_T, 0, 0, words, MPI_INT64_T, win);
  MPI_Win_unlock(0, win);
  CHECK_EQUAL(got[static_cast<std::size_t>(words - 1)], words);
}

// From the first such window on the engine locks: messages go on as before.
void check_messages() {
  const int right = (me + 1) % n, left = (me + n - 1) % n;
  for (int i = 0; i < 200; ++i) {
    int got = -1, sum = 0;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, left, i, MPI_COMM_WORLD, &request);
    MPI_Send(&i, 1, MPI_INT, right, i, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(got, i);
    if (i % 20 != 0) continue;
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQUAL(sum, n * i);
  }
}

void run(int round) {
  constexpr int kWords = 1 << 17;
  rma::Window window(round % 2 == 0, kWords);
  if (me == 0) {
    window.base[kWords - 1] = kWords;
    MPI_Win_sync(window.win);
  }
  int target = static_cast<int>(getpid());
  MPI_Bcast(&target, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (me == 0) {
    compute_until_all_are_done(round);
  } else {
    check_locked_puts(window.win);
    check_counter(window.win);
    check_long_get(window.win, kWords);
    CHECK_EQUAL(kill(target, signal_of_others()), 0);
  }
  check_messages();
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) CHECK_EQUAL(window.base[0], std::int64_t{kTimes} * (n - 1));
}

// A window that is never locked needs nobody.
void run_without_locks() {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  std::int64_t* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate(8, 8, info, MPI_COMM_WORLD, &base, &win);
  MPI_Info_free(&info);
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  struct sigaction action {};
  action.sa_handler = hear;
  action.sa_flags = SA_RESTART;
  sigaction(signal_of_others(), &action, nullptr);
  MPI_Init(&argc, &argv);
  rma::look_around();
  if (argc > 1 && std::strcmp(argv[1], "no_locks") == 0)
    run_without_locks();
  else
    for (int round = 1; round <= 3; ++round) run(round);
  MPI_Finalize();
  return 0;
}
