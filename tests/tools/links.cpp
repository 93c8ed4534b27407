// SPDX-License-Identifier: BSD-3-Clause
// Several connections to each peer (btl_tcp_links): long messages arrive whole, and all connections
// are there afterwards.
#include <cstdlib>
#include <numeric>

#include "tool.h"

namespace {

constexpr int kWords = 1 << 20;  // eight megabytes
constexpr int kTag = 4;

// To the next one, from the one before; every other word, or all of them.
void pass_on(MPI_Datatype type, int step) {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  std::vector<long> mine(static_cast<std::size_t>(kWords)), theirs(mine.size(), -1);
  std::iota(mine.begin(), mine.end(), rank * 1000003L);
  MPI_Sendrecv(mine.data(), 1, type, to, kTag, theirs.data(), 1, type, from, kTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  long wrong = 0;
  for (int i = 0; i < kWords; ++i)
    wrong += theirs[static_cast<std::size_t>(i)] != (i % step == 0 ? from * 1000003L + i : -1);
  CHECK(wrong == 0);
}

}  // namespace

// links LINKS
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Datatype whole, gaps;
  MPI_Type_contiguous(kWords, MPI_LONG, &whole);
  MPI_Type_vector(kWords / 2, 1, 2, MPI_LONG, &gaps);
  MPI_Type_commit(&whole);
  MPI_Type_commit(&gaps);
  for (int round = 0; round < 3; ++round) {
    pass_on(whole, 1);
    pass_on(gaps, 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  {
    const Counter connections("btl_tcp_connections", MPI_T_PVAR_CLASS_LEVEL);
    const int all = argc == 2 ? std::atoi(argv[1]) * (size_of(MPI_COMM_WORLD) - 1) : 0;
    CHECK(connections.value() == static_cast<unsigned>(all));
  }
  MPI_Type_free(&whole);
  MPI_Type_free(&gaps);
  MPI_T_finalize();
  return finish();
}
