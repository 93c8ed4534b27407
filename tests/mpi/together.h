// SPDX-License-Identifier: BSD-3-Clause
// What the programs of several threads share: counting failures, starting a team, verified
// messages.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

inline std::atomic<int> thread_failures{0};

// May be called by any thread.
inline void expect(bool right, const char* what) {
  if (right || thread_failures.fetch_add(1) >= 10) return;
  std::fprintf(stderr, "not so: %s\n", what);
}

struct Place {
  int rank = 0, size = 1;
};

// With all threads allowed, or not at all: the programs say so and end.
inline Place start_with_threads(int argc, char** argv) {
  int granted = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  int told = -1;
  MPI_Query_thread(&told);
  expect(granted == MPI_THREAD_MULTIPLE && told == granted, "MPI_THREAD_MULTIPLE is granted");
  if (granted != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
  Place place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  return place;
}

// For the return value of main().
inline int finish_with_threads() {
  MPI_Finalize();
  return thread_failures == 0 ? 0 : 1;
}

// body(0) ... body(threads - 1) at the same time, each on its own thread.
template <class Body>
void together(int threads, Body body) {
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) team.emplace_back(body, t);
  for (std::thread& one : team) one.join();
}

// A message that says where it comes from and which one it is.
struct Letter {
  int rank, thread, number, check;

  static Letter of(int rank, int thread, int number) {
    return {rank, thread, number, rank * 7919 + thread * 104729 + number * 31};
  }
  bool intact() const { return check == of(rank, thread, number).check; }
};

inline constexpr int kLetterInts = static_cast<int>(sizeof(Letter) / sizeof(int));
