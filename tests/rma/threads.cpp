// SPDX-License-Identifier: BSD-3-Clause
// Several threads of each process on one window: atomics, flushes, locks of different targets.
// req rma 15.1, 15.2, 15.4, 15.5, 15.6, 11.15, 11.19
#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kThreads = 3;
constexpr int kRounds = 100;

// Every value of a counter once, whoever fetched it.
void fetch(MPI_Win win, std::int64_t* seen) {
  for (int i = 0; i < kRounds; ++i) {
    const std::int64_t one = 1;
    MPI_Fetch_and_op(&one, &seen[i], MPI_INT64_T, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
  }
}

void counter(MPI_Win win, int n) {
  std::vector<std::int64_t> seen(kThreads * kRounds, -1);
  MPI_Win_lock_all(0, win);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(fetch, win, &seen[t * kRounds]);
  for (std::thread& thread : threads) thread.join();
  MPI_Win_unlock_all(win);
  std::vector<std::int64_t> all(seen.size() * static_cast<std::size_t>(n));
  MPI_Allgather(seen.data(), kThreads * kRounds, MPI_INT64_T, all.data(), kThreads * kRounds,
                MPI_INT64_T, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) CHECK_EQUAL(all[i], i);
}

// Each thread works on a target of its own under an exclusive lock.
void increase(MPI_Win win, int target) {
  for (int i = 0; i < kRounds; ++i) {
    std::int64_t value = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(&value, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, win);
    MPI_Win_flush(target, win);
    ++value;
    MPI_Put(&value, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, win);
    MPI_Win_unlock(target, win);
  }
}

void locks(MPI_Win win, const std::int64_t* base, int me, int n) {
  std::vector<std::thread> threads;
  for (int target = 0; target < n; ++target) threads.emplace_back(increase, win, target);
  for (std::thread& thread : threads) thread.join();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
  CHECK_EQUAL(base[1], n * kRounds);
  MPI_Win_unlock(me, win);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
  const int me = rma::rank_in(MPI_COMM_WORLD);
  const int n = rma::size_of(MPI_COMM_WORLD);
  std::int64_t* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  base[0] = base[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  counter(win, n);
  locks(win, base, me, n);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
