// SPDX-License-Identifier: BSD-3-Clause
// Communicators without number: duplicated and freed with flat memory, and very many of them alive
// at once.
//
// Arguments: how many to duplicate and free, how many alive at once. Prints what it measured when
// it is run with arguments. Memory is counted by the allocator, as bytes in use: pages come and go
// in an order nobody promises.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

// What a communicator may cost one process, whatever was done with it.
constexpr double kMostPerCommunicator = 2'368;

// What may be more at the end. Rank 0 need not wait for the others to make a duplicate, so that up
// to kTogether messages of some hundred bytes lie about, whose memory is kept for the next ones. A
// leak of 53 bytes per communicator is more.
constexpr long kAllowance = 1L << 20;
constexpr long kTogether = 100;  // duplicates after which all ranks meet

bool report = false;

long bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<long>(info.uordblks + info.hblkhd);
}

MPI_Comm duplicate() {
  MPI_Comm made = MPI_COMM_NULL;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &made) == MPI_SUCCESS);
  return made;
}

// Each does what programs do with a communicator: point-to-point around the ring, and some
// collectives.
void use(MPI_Comm comm) {
  const int me = rank_in(comm), n = size_of(comm);
  int out = me, in = -1, sum = -1, all[64];
  CHECK(MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % n, 3, &in, 1, MPI_INT, (me + n - 1) % n, 3, comm,
                     MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(in == (me + n - 1) % n);
  CHECK(MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS &&
        sum == n * (n - 1) / 2);
  CHECK(MPI_Allgather(&out, 1, MPI_INT, all, 1, MPI_INT, comm) == MPI_SUCCESS &&
        all[n - 1] == n - 1);
  CHECK(MPI_Bcast(&out, 1, MPI_INT, n - 1, comm) == MPI_SUCCESS && out == n - 1);
  CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
}

// All at the same place, and nothing on its way: bytes in use mean the same everywhere.
long settled_bytes() {
  MPI_Barrier(MPI_COMM_WORLD);
  return bytes_in_use();
}

void test_flat(long count) {
  const long before = settled_bytes();
  const double start = MPI_Wtime();
  long most = before;
  for (long i = 0; i < count; ++i) {
    MPI_Comm made = duplicate();
    if (i % kTogether == 0) use(made);
    CHECK(MPI_Comm_free(&made) == MPI_SUCCESS && made == MPI_COMM_NULL);
    if (i % kTogether == 0) most = std::max(most, bytes_in_use());
  }
  const double seconds = MPI_Wtime() - start;
  const long grown = settled_bytes() - before;
  if (report) {
    std::printf(
        "rank %d: %ld dup/free in %.2f s (%.2f us each), %+ld bytes at the end, at most %+ld\n",
        rank_in(MPI_COMM_WORLD), count, seconds, seconds / static_cast<double>(count) * 1e6, grown,
        most - before);
  }
  CHECK(grown < kAllowance && most - before < kAllowance);
}

double per_communicator(long before, std::size_t count) {
  return static_cast<double>(settled_bytes() - before) / static_cast<double>(count);
}

// The list of handles is not counted.
void test_alive(std::size_t count) {
  std::vector<MPI_Comm> all(count, MPI_COMM_NULL);
  const long before = settled_bytes();
  const double start = MPI_Wtime();
  for (std::size_t i = 0; i < count; ++i) {
    if (i % kTogether == 0) MPI_Barrier(MPI_COMM_WORLD);
    all[i] = duplicate();
  }
  const double seconds = MPI_Wtime() - start;
  const double bare = per_communicator(before, count);
  const std::size_t used = std::min<std::size_t>(count, 1'000), step = count / used;
  const long before_use = settled_bytes();
  for (std::size_t i = 0; i < used; ++i) use(all[i * step]);
  const double more = per_communicator(before_use, used);
  for (MPI_Comm& comm : all) CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  const long left = settled_bytes() - before;
  if (report) {
    std::printf(
        "rank %d: %zu alive, made in %.2f s, %.0f bytes each, %.0f once used; %+ld bytes after "
        "all\n",
        rank_in(MPI_COMM_WORLD), count, seconds, bare, bare + more, left);
  }
  CHECK(bare + more < kMostPerCommunicator);
  CHECK(left < kAllowance);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  report = argc > 1;
  use(MPI_COMM_WORLD);  // what is set up once
  test_flat(argc > 1 ? std::atol(argv[1]) : 20'000);
  test_alive(argc > 2 ? static_cast<std::size_t>(std::atol(argv[2])) : 10'000);
  return finish();
}
