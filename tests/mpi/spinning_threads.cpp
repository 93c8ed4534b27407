// SPDX-License-Identifier: BSD-3-Clause
// Threads that exchange messages and meet in a barrier of their own, in which they spin: with more
// threads than processors, waiting in MPI must not be starved by them.
// Usage: spinning_threads [THREADS [STEPS]]; with steps given, rank 0 prints the time of a step.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "check.h"

namespace {

int me, n;

class SpinBarrier {
 public:
  explicit SpinBarrier(int threads) : threads_(threads) {}
  void meet() {
    const int round = round_.load();
    if (arrived_.fetch_add(1) + 1 == threads_) {
      arrived_ = 0;
      round_ = round + 1;
    }
    while (round_.load() == round) {
    }
  }

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
  std::atomic<int> round_{0};
};

void run(int thread, int steps, MPI_Comm comm, SpinBarrier& barrier, std::atomic<int>& wrong) {
  for (int step = 0; step < steps; ++step) {
    const int mine = 1000 * step + 10 * me + thread;
    int theirs = -1, sum = -1;
    const int left = (me + n - 1) % n;
    MPI_Sendrecv(&mine, 1, MPI_INT, (me + 1) % n, thread, &theirs, 1, MPI_INT, left, thread,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (theirs != 1000 * step + 10 * left + thread) ++wrong;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != n * (n - 1) / 2) ++wrong;
    barrier.meet();
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  const int threads = argc > 1 ? std::atoi(argv[1]) : 4;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 3;
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(threads));
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  SpinBarrier barrier(threads);
  std::atomic<int> wrong{0};
  std::vector<std::thread> crew;
  const double begin = MPI_Wtime();
  for (int i = 0; i < threads; ++i)
    crew.emplace_back(
        [&, i] { run(i, steps, comms[static_cast<std::size_t>(i)], barrier, wrong); });
  for (std::thread& thread : crew) thread.join();
  const double seconds = (MPI_Wtime() - begin) / steps;
  CHECK(wrong == 0);
  if (argc > 2 && me == 0) std::printf("%.3f s a step\n", seconds);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  return finish();
}
