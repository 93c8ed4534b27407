// SPDX-License-Identifier: BSD-3-Clause
// What MPIX_Alltoallx saves, and what an exclusive scan with its total and a segmented scan cost:
// microseconds per call, the median of many, of the slowest rank. Arguments: bytes per part (64),
// calls (2000).
#include <mpix.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

int rank_of_mine = 0, size_of_world = 1, calls = 2000;

template <class Body>
void report(const char* what, const Body& body) {
  std::vector<double> times;
  for (int call = 0; call < calls; ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    body();
    times.push_back(MPI_Wtime() - start);
  }
  std::sort(times.begin(), times.end());
  double median = times[times.size() / 2], slowest = 0;
  MPI_Reduce(&median, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank_of_mine == 0) std::printf("%-62s %8.2f us\n", what, slowest * 1e6);
}

// A part per process, each in an array of its own.
struct Parts {
  explicit Parts(int bytes)
      : arrays(static_cast<std::size_t>(size_of_world)),
        counts(static_cast<std::size_t>(size_of_world), bytes),
        types(static_cast<std::size_t>(size_of_world), MPI_BYTE) {
    for (auto& array : arrays) {
      array = std::make_unique<char[]>(static_cast<std::size_t>(bytes));
      places.push_back(reinterpret_cast<MPI_Aint>(array.get()));
    }
  }
  std::vector<std::unique_ptr<char[]>> arrays;
  std::vector<int> counts;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
};

// What a program does with MPI_Alltoallw: a type for each part that holds its address.
std::vector<MPI_Datatype> types_with_addresses(const Parts& parts) {
  std::vector<MPI_Datatype> made(parts.places.size());
  for (std::size_t r = 0; r < made.size(); ++r) {
    MPI_Type_create_hindexed(1, &parts.counts[r], &parts.places[r], MPI_BYTE, &made[r]);
    MPI_Type_commit(&made[r]);
  }
  return made;
}

void by_types(const Parts& out, const Parts& in) {
  auto send = types_with_addresses(out), receive = types_with_addresses(in);
  const std::vector<int> ones(send.size(), 1), zeros(send.size(), 0);
  MPI_Alltoallw(MPI_BOTTOM, ones.data(), zeros.data(), send.data(), MPI_BOTTOM, ones.data(),
                zeros.data(), receive.data(), MPI_COMM_WORLD);
  for (auto* types : {&send, &receive})
    for (MPI_Datatype& type : *types) MPI_Type_free(&type);
}

void by_addresses(const Parts& out, const Parts& in) {
  MPIX_Alltoallx(MPI_BOTTOM, out.counts.data(), out.places.data(), out.types.data(), MPI_BOTTOM,
                 in.counts.data(), in.places.data(), in.types.data(), MPI_COMM_WORLD);
}

void total_by_bcast(int mine) {
  int before = 0, total = 0;
  MPI_Exscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank_of_mine == size_of_world - 1) total = before + mine;
  MPI_Bcast(&total, 1, MPI_INT, size_of_world - 1, MPI_COMM_WORLD);
}

void total_by_allreduce(int mine) {
  int before = 0, total = 0;
  MPI_Exscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

// The two wait for the same processes at the same time.
void total_beside(int mine) {
  int before = 0, total = 0;
  MPI_Request both[2];
  MPI_Iexscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &both[0]);
  MPI_Iallreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

// For few processes and short vectors: all values to all, and the reductions here.
void total_by_allgather(int mine) {
  std::vector<int> all(static_cast<std::size_t>(size_of_world));
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int before = 0, total = all[0];
  for (int r = 1; r < size_of_world; ++r) {
    if (r == rank_of_mine) before = total;
    MPI_Reduce_local(&all[static_cast<std::size_t>(r)], &total, 1, MPI_INT, MPI_SUM);
  }
  if (before > total) std::abort();
}

// Pairs of a flag and a value; a flag begins a segment.
void begin_anew(void* left, void* right, int* count, MPI_Datatype* /*pair*/) {
  const int* const before = static_cast<int*>(left);
  int* const at = static_cast<int*>(right);
  for (int i = 0; i < 2 * *count; i += 2) {
    if (at[i] == 0) at[i + 1] += before[i + 1];
    at[i] |= before[i];
  }
}

void report_scans() {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Op segmented = MPI_OP_NULL;
  int mine[2] = {rank_of_mine % 2, rank_of_mine}, sum[2] = {0, 0};
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(begin_anew, 0, &segmented);
  report("MPI_Scan of one integer",
         [&] { MPI_Scan(&mine[1], &sum[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
  report("MPI_Scan of a flag and an integer, by an operation of ours",
         [&] { MPI_Scan(mine, sum, 1, pair, segmented, MPI_COMM_WORLD); });
  MPI_Op_free(&segmented);
  MPI_Type_free(&pair);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_mine);
  MPI_Comm_size(MPI_COMM_WORLD, &size_of_world);
  const int bytes = argc > 1 ? std::atoi(argv[1]) : 64;
  if (argc > 2) calls = std::atoi(argv[2]);
  Parts out(bytes), in(bytes);
  report("MPIX_Alltoallx with absolute addresses", [&] { by_addresses(out, in); });
  report("MPI_Alltoallw with a datatype for each address, made and freed",
         [&] { by_types(out, in); });
  report("MPI_Exscan alone", [] {
    int before = 0;
    MPI_Exscan(&rank_of_mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  });
  report("MPI_Exscan and MPI_Bcast of the total", [] { total_by_bcast(rank_of_mine); });
  report("MPI_Exscan and MPI_Allreduce", [] { total_by_allreduce(rank_of_mine); });
  report("MPI_Iexscan and MPI_Iallreduce, completed together", [] { total_beside(rank_of_mine); });
  report("MPI_Allgather and reductions of one's own", [] { total_by_allgather(rank_of_mine); });
  report_scans();
  MPI_Finalize();
  return 0;
}
