// SPDX-License-Identifier: BSD-3-Clause
// Threads that do different things at the same time, on one communicator.
#include <thread>

#include "../io/scratch.h"
#include "window.h"

namespace {

using rma::me;
using rma::n;

constexpr int kRounds = 50;

void exchange(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    int sent = i, got = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, (me + 1) % n, 3, &got, 1, MPI_INT, (me + n - 1) % n, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(got, i);
  }
}

// The origins complete after messages that another thread of the waiting process has to answer.
// req rma 15.3
void wait_and_exchange() {
  rma::Window window(false, n);
  MPI_Group all, others;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &me, &others);
  MPI_Win_post(others, 0, window.win);
  MPI_Win_start(others, 0, window.win);
  std::thread exchanges(exchange, kRounds);
  const std::int64_t value = me;
  for (int rank = 0; rank < n; ++rank)
    if (rank != me) MPI_Put(&value, 1, MPI_INT64_T, rank, me, 1, MPI_INT64_T, window.win);
  if (me == 0) exchanges.join();
  MPI_Win_complete(window.win);
  MPI_Win_wait(window.win);
  if (me != 0) exchanges.join();
  for (int rank = 0; rank < n; ++rank) CHECK_EQUAL(window.base[rank], rank == me ? 0 : rank);
  MPI_Group_free(&others);
  MPI_Group_free(&all);
}

void reduce() {
  for (int i = 0; i < kRounds; ++i) {
    int sum = 0;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQUAL(sum, n * (n - 1) / 2);
  }
}

void write_and_read(MPI_File file) {
  for (int i = 0; i < kRounds; ++i) {
    const MPI_Offset at = static_cast<MPI_Offset>(sizeof(int)) * (me * kRounds + i);
    int value = me + i, back = -1;
    CHECK_CLASS(MPI_File_write_at(file, at, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_CLASS(MPI_File_read_at(file, at, &back, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQUAL(back, value);
  }
}

void count_up(MPI_Win win) {
  const std::int64_t one = 1;
  for (int i = 0; i < kRounds; ++i) {
    std::int64_t before = -1;
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, (me + 1) % n, 0, MPI_SUM, win);
    MPI_Win_flush((me + 1) % n, win);
    CHECK_EQUAL(before, i);
  }
}

// req rma 1.4
void all_three() {
  rma::Window window(true, 1);
  MPI_File file = scratch_file(MPI_COMM_WORLD, "rma_concurrent");
  MPI_Win_lock_all(0, window.win);
  std::thread collective(reduce), access(write_and_read, file);
  count_up(window.win);
  collective.join();
  access.join();
  MPI_Win_unlock_all(window.win);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
  rma::look_around();
  wait_and_exchange();
  all_three();
  MPI_Finalize();
  return 0;
}
