// SPDX-License-Identifier: BSD-3-Clause
// The neighbourhood collectives on Cartesian topologies: rings, lines and grids.
#include <algorithm>
#include <utility>
#include <vector>

#include "forms.h"

namespace {

using Ints = std::vector<int>;

int me, n;

// A ring of all processes: what goes out to the negative neighbour comes in there from the positive
// one, also when both are the same process.
void test_ring_exchange(Form form) {
  const int one = 1;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &one, 0, &ring);
  const int before = (me + n - 1) % n, next = (me + 1) % n;
  Ints in{10 * me, 10 * me + 1}, out(2);
  const int counts[2] = {1, 1}, places[2] = {0, 1};
  const MPI_Aint bytes[2] = {0, sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  const auto reset = [&] { out = {-1, -1}; };
  const auto exchanged = [&] { CHECK(out[0] == 10 * before + 1 && out[1] == 10 * next); };
  const auto gathered = [&] { CHECK(out[0] == 10 * before && out[1] == 10 * next); };
  run(form, reset, exchanged, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall,
      MPI_Neighbor_alltoall_init, in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, ring);
  run(form, reset, exchanged, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
      MPI_Neighbor_alltoallv_init, in.data(), counts, places, MPI_INT, out.data(), counts, places,
      MPI_INT, ring);
  run(form, reset, exchanged, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
      MPI_Neighbor_alltoallw_init, in.data(), counts, bytes, types, out.data(), counts, bytes,
      types, ring);
  run(form, reset, gathered, MPI_Neighbor_allgather, MPI_Ineighbor_allgather,
      MPI_Neighbor_allgather_init, in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, ring);
  run(form, reset, gathered, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
      MPI_Neighbor_allgatherv_init, in.data(), 1, MPI_INT, out.data(), counts, places, MPI_INT,
      ring);
  MPI_Comm_free(&ring);
}

// A line: the ends have no neighbour on one side, and nothing is written there.
void test_line_exchange() {
  const int none = 0;
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &none, 0, &line);
  int out[2] = {-1, -1};
  MPI_Neighbor_allgather(&me, 1, MPI_INT, out, 1, MPI_INT, line);
  CHECK(out[0] == me - 1 && out[1] == (me + 1 < n ? me + 1 : -1));
  MPI_Comm_free(&line);
}

int value(int rank, int block, int element) {
  return (4 * rank + block) * 100'003 + element;
}

// All processes in two dimensions, the second periodic, and this one's neighbours in the order of
// blocks.
struct Grid {
  Grid() {
    int dims[2] = {0, 0};
    const int periods[2] = {0, 1};
    MPI_Dims_create(n, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    for (int d = 0; d < 2; ++d)
      MPI_Cart_shift(comm, d, 1, &neighbours[2 * d], &neighbours[2 * d + 1]);
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  ~Grid() { MPI_Comm_free(&comm); }
  MPI_Comm comm;
  int neighbours[4];
};

// Blocks of so many numbers, with gaps where they arrive.
void test_grid_exchange(int length) {
  const Grid grid;
  MPI_Datatype gaps, apart;
  MPI_Type_vector(length, 1, 2, MPI_INT, &gaps);
  MPI_Type_create_resized(gaps, 0, MPI_Aint{8} * length, &apart);
  MPI_Type_commit(&apart);
  Ints in;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < length; ++j) in.push_back(value(me, i, j));
  const auto is_right = [&](const Ints& out, int i, int block) {
    bool right = true;
    for (int j = 0; j < length; ++j) {
      const std::size_t place = 2 * static_cast<std::size_t>(i * length + j);
      const int from = grid.neighbours[i];
      right &= out[place] == (from == MPI_PROC_NULL ? -1 : value(from, block, j)) &&
               out[place + 1] == -1;
    }
    return right;
  };
  Ints exchanged(2 * in.size(), -1), gathered(2 * in.size(), -1);
  MPI_Neighbor_alltoall(in.data(), length, MPI_INT, exchanged.data(), 1, apart, grid.comm);
  MPI_Neighbor_allgather(in.data(), length, MPI_INT, gathered.data(), 1, apart, grid.comm);
  for (int i = 0; i < 4; ++i) CHECK(is_right(exchanged, i, i ^ 1) && is_right(gathered, i, 0));
  MPI_Type_free(&gaps);
  MPI_Type_free(&apart);
}

// Blocks of another length for each dimension, and then of another length for each process.
void test_uneven_grid(int length) {
  const Grid grid;
  const int counts[4] = {length, length, 10 * length, 10 * length};
  const int places[4] = {0, length, 2 * length, 12 * length};
  const MPI_Aint offsets[4] = {0, MPI_Aint{4} * length, MPI_Aint{8} * length,
                               MPI_Aint{48} * length};
  const MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  Ints in;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < counts[i]; ++j) in.push_back(value(me, i, j));
  const auto is_right = [&](const Ints& out, const int* lengths, const int* starts, bool from_all) {
    bool right = true;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < lengths[i]; ++j) {
        const int from = grid.neighbours[i], block = from_all ? 0 : i ^ 1;
        right &= out[static_cast<std::size_t>(starts[i] + j)] ==
                 (from == MPI_PROC_NULL ? -1 : value(from, block, j));
      }
    return right;
  };
  Ints by_counts(in.size(), -1), by_types(in.size(), -1);
  MPI_Neighbor_alltoallv(in.data(), counts, places, MPI_INT, by_counts.data(), counts, places,
                         MPI_INT, grid.comm);
  MPI_Neighbor_alltoallw(in.data(), counts, offsets, types, by_types.data(), counts, offsets, types,
                         grid.comm);
  CHECK(is_right(by_counts, counts, places, false) && is_right(by_types, counts, places, false));
  int lengths[4], starts[4];
  for (int i = 0; i < 4; ++i) {
    lengths[i] = grid.neighbours[i] == MPI_PROC_NULL ? 0 : (grid.neighbours[i] + 2) * length;
    starts[i] = i * (n + 1) * length;
  }
  Ints mine, gathered(static_cast<std::size_t>(4 * (n + 1) * length), -1);
  for (int j = 0; j < (me + 2) * length; ++j) mine.push_back(value(me, 0, j));
  MPI_Neighbor_allgatherv(mine.data(), (me + 2) * length, MPI_INT, gathered.data(), lengths, starts,
                          MPI_INT, grid.comm);
  CHECK(is_right(gathered, lengths, starts, true));
}

// A ring on which processes of even rank have blocks of another length than those of odd rank:
// what a process sends and what it gets may go different ways.
void test_uneven_ring(int even, int odd) {
  if (n % 2 != 0) return;
  const int periodic = 1, outgoing = me % 2 == 0 ? even : odd, incoming = me % 2 == 0 ? odd : even;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &ring);
  Ints in, out(2 * static_cast<std::size_t>(incoming), -1), wanted;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < outgoing; ++j) in.push_back(value(me, i, j));
    const int from = (me + (i == 0 ? n - 1 : 1)) % n;
    for (int j = 0; j < incoming; ++j) wanted.push_back(value(from, i ^ 1, j));
  }
  for (int round = 0; round < 3; ++round) {
    std::fill(out.begin(), out.end(), -1);
    MPI_Neighbor_alltoall(in.data(), outgoing, MPI_INT, out.data(), incoming, MPI_INT, ring);
    CHECK(out == wanted);
  }
  MPI_Comm_free(&ring);
}

// A line on which each process has another length of block for the next one than it gets from the
// one before: only the two of an edge have to agree. The first process has no source and the last
// no destination.
void test_uneven_line() {
  const auto length_from = [](int rank) { return rank % 2 == 0 ? 2 : 30'000; };
  const int before = me - 1, next = me + 1;
  const int sources = me > 0 ? 1 : 0, destinations = next < n ? 1 : 0;
  MPI_Comm line;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sources, &before, MPI_UNWEIGHTED, destinations,
                                 &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &line);
  const int outgoing = destinations * length_from(me), incoming = sources * length_from(before);
  for (int round = 0; round < 10; ++round) {
    const Ints in(static_cast<std::size_t>(outgoing), me + round);
    Ints out(static_cast<std::size_t>(incoming), -1);
    for (int again = 0; again < 10; ++again)
      MPI_Neighbor_allgather(in.empty() ? nullptr : in.data(), outgoing, MPI_INT,
                             out.empty() ? nullptr : out.data(), incoming, MPI_INT, line);
    CHECK(out == Ints(out.size(), before + round));
    int shown = 0, sent = 0;  // on the board, and by messages
    MPI_Request request;
    MPI_Iallreduce(&me, &sent, 1, MPI_INT, MPI_SUM, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&me, &shown, 1, MPI_INT, MPI_SUM, line);
    CHECK(shown == n * (n - 1) / 2 && sent == shown);
  }
  MPI_Comm_free(&line);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  for (const Form form : kForms) test_ring_exchange(form);
  test_line_exchange();
  for (const int length : {1, 3, 7, 8, 10, 64, 100, 1000, 3000, 8000, 100'000})
    test_grid_exchange(length);
  for (const int length : {1, 2, 7, 300, 2000}) test_uneven_grid(length);
  for (const auto& [even, odd] : {std::pair(1, 30'000), {0, 5}, {15, 2}, {2000, 1}, {300, 500}})
    test_uneven_ring(even, odd);
  test_uneven_line();
  return finish();
}
