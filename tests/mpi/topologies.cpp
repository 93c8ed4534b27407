// SPDX-License-Identifier: BSD-3-Clause
// Cartesian, graph and distributed graph topologies.
#include <sched.h>

#include <algorithm>
#include <vector>

#include "forms.h"

namespace {

using Ints = std::vector<int>;

int me, n;

bool dims_are(int nodes, Ints dims, const Ints& expected) {
  return MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data()) == MPI_SUCCESS &&
         dims == expected;
}

void test_dims() {
  CHECK(dims_are(6, {0, 0}, {3, 2}));
  CHECK(dims_are(7, {0, 0}, {7, 1}));
  CHECK(dims_are(6, {0, 3, 0}, {2, 3, 1}));
  CHECK(dims_are(24, {0, 0, 0}, {4, 3, 2}));
  CHECK(dims_are(16, {0, 0, 0}, {4, 2, 2}));
  CHECK(dims_are(1'048'576, {0, 0, 0}, {128, 128, 64}));
  CHECK(dims_are(720'720, {0, 0, 0, 0}, {33, 30, 28, 26}));
  CHECK(dims_are(1, {0, 0, 0}, {1, 1, 1}));
  CHECK(dims_are(12, {3, 4}, {3, 4}));
  CHECK(dims_are(5, {}, {}));
  Ints dims{0, 3, 0};
  CHECK(class_of(MPI_Dims_create(7, 3, dims.data())) == MPI_ERR_DIMS);
  dims = {-1, 0, 0};
  CHECK(class_of(MPI_Dims_create(8, 3, dims.data())) == MPI_ERR_DIMS);
  dims = {2, 2, 1};
  CHECK(class_of(MPI_Dims_create(8, 3, dims.data())) == MPI_ERR_DIMS);
}

int topology_of(MPI_Comm comm) {
  int kind = -1;
  MPI_Topo_test(comm, &kind);
  return kind;
}

// All processes in two dimensions, the second periodic.
void test_cartesian(bool reorder) {
  int dims[2] = {0, 0};
  const int periods[2] = {0, 1};
  MPI_Dims_create(n, 2, dims);
  MPI_Comm grid;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder ? 1 : 0, &grid) == MPI_SUCCESS);
  CHECK(topology_of(grid) == MPI_CART && size_of(grid) == n);
  if (!reorder) CHECK(rank_in(grid) == me);
  const int rank = rank_in(grid);
  int ndims = 0, got_dims[2], got_periods[2], coords[2], found = -1;
  MPI_Cartdim_get(grid, &ndims);
  MPI_Cart_get(grid, 2, got_dims, got_periods, coords);
  CHECK(ndims == 2 && got_dims[0] == dims[0] && got_dims[1] == dims[1]);
  CHECK(got_periods[0] == 0 && got_periods[1] == 1);
  CHECK(coords[0] == rank / dims[1] && coords[1] == rank % dims[1]);
  for (int r = 0; r < n; ++r) {
    int place[2];
    MPI_Cart_coords(grid, r, 2, place);
    place[1] -= dims[1];  // periodic
    CHECK(MPI_Cart_rank(grid, place, &found) == MPI_SUCCESS && found == r);
  }
  int source, dest;
  MPI_Cart_shift(grid, 0, 1, &source, &dest);
  CHECK(source == (coords[0] > 0 ? rank - dims[1] : MPI_PROC_NULL));
  CHECK(dest == (coords[0] + 1 < dims[0] ? rank + dims[1] : MPI_PROC_NULL));
  MPI_Cart_shift(grid, 1, -1, &source, &dest);
  CHECK(dest == coords[0] * dims[1] + (coords[1] + dims[1] - 1) % dims[1]);

  MPI_Comm row, twin, point;
  const int keep[2] = {0, 1}, keep_none[2] = {0, 0};
  CHECK(MPI_Cart_sub(grid, keep, &row) == MPI_SUCCESS);
  CHECK(size_of(row) == dims[1] && rank_in(row) == coords[1]);
  MPI_Cartdim_get(row, &ndims);
  CHECK(ndims == 1);
  MPI_Comm_dup(row, &twin);
  CHECK(topology_of(twin) == MPI_CART);  // a duplicate keeps the topology
  CHECK(MPI_Cart_sub(grid, keep_none, &point) == MPI_SUCCESS);
  MPI_Cartdim_get(point, &ndims);
  CHECK(size_of(point) == 1 && ndims == 0);

  const int outside[2] = {dims[0], 0};
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Cart_rank(grid, outside, &found)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Cart_shift(grid, 2, 1, &source, &dest)) == MPI_ERR_DIMS);
  CHECK(class_of(MPI_Graphdims_get(grid, &source, &dest)) == MPI_ERR_TOPOLOGY);
  for (MPI_Comm* comm : {&row, &twin, &point, &grid}) MPI_Comm_free(comm);
}

void test_small_grids() {
  MPI_Comm comm;
  const int one = 1, none = 0;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &none, 0, &comm) == MPI_SUCCESS);
  CHECK((comm == MPI_COMM_NULL) == (me > 0));
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &comm) == MPI_SUCCESS);
  CHECK((comm == MPI_COMM_NULL) == (me > 0));
  if (comm != MPI_COMM_NULL) {
    int rank = -1, ndims = -1, source, dest;
    CHECK(MPI_Cartdim_get(comm, &ndims) == MPI_SUCCESS && ndims == 0);
    CHECK(MPI_Cart_get(comm, 0, nullptr, nullptr, nullptr) == MPI_SUCCESS);
    CHECK(MPI_Cart_rank(comm, nullptr, &rank) == MPI_SUCCESS && rank == 0);
    CHECK(MPI_Cart_coords(comm, 0, 0, nullptr) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Cart_shift(comm, 0, 1, &source, &dest)) == MPI_ERR_DIMS);
    MPI_Comm_free(&comm);
  }
  int newrank = -1;
  CHECK(MPI_Cart_map(MPI_COMM_WORLD, 1, &n, &none, &newrank) == MPI_SUCCESS && newrank >= 0 &&
        newrank < n);
  const int too_many = n + 1;
  CHECK(class_of(MPI_Cart_create(MPI_COMM_WORLD, 1, &too_many, &none, 0, &comm)) == MPI_ERR_DIMS);
}

// A star around node 0.
void test_graph() {
  Ints index, edges;
  for (int r = 1; r < n; ++r) edges.push_back(r);
  index.push_back(n - 1);
  for (int r = 1; r < n; ++r) {
    edges.push_back(0);
    index.push_back(n - 1 + r);
  }
  MPI_Comm star;
  CHECK(MPI_Graph_create(MPI_COMM_WORLD, n, index.data(), edges.data(), 0, &star) == MPI_SUCCESS);
  CHECK(topology_of(star) == MPI_GRAPH);
  int nodes = -1, count = -1;
  MPI_Graphdims_get(star, &nodes, &count);
  CHECK(nodes == n && count == 2 * (n - 1));
  Ints got_index(index.size()), got_edges(edges.size() + 1);
  CHECK(MPI_Graph_get(star, n, count, got_index.data(), got_edges.data()) == MPI_SUCCESS &&
        got_index == index);
  MPI_Graph_neighbors_count(star, 0, &count);
  CHECK(count == n - 1);
  Ints neighbours(static_cast<std::size_t>(n), -1);
  CHECK(MPI_Graph_neighbors(star, 0, n - 1, neighbours.data()) == MPI_SUCCESS);
  for (int r = 1; r < n; ++r) CHECK(neighbours[static_cast<std::size_t>(r - 1)] == r);
  Ints out(static_cast<std::size_t>(n), -1);
  CHECK(MPI_Neighbor_allgather(&me, 1, MPI_INT, out.data(), 1, MPI_INT, star) == MPI_SUCCESS);
  if (me > 0) CHECK(out[0] == 0);
  for (int r = 1; me == 0 && r < n; ++r) CHECK(out[static_cast<std::size_t>(r - 1)] == r);
  MPI_Comm_free(&star);
  index[0] = -1;
  CHECK(class_of(MPI_Graph_create(MPI_COMM_WORLD, n, index.data(), edges.data(), 0, &star)) ==
        MPI_ERR_ARG);
}

// A ring in one direction, with the weight of the destination, named by the process after the
// source.
void test_distributed() {
  const int next = (me + 1) % n, before = (me + n - 1) % n;
  const int degree = 1;
  MPI_Comm ring, same;
  CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &before, &degree, &me, &me, MPI_INFO_NULL, 0,
                              &ring) == MPI_SUCCESS);
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &me, 1, &next, &next,
                                       MPI_INFO_NULL, 0, &same) == MPI_SUCCESS);
  for (MPI_Comm comm : {ring, same}) {
    CHECK(topology_of(comm) == MPI_DIST_GRAPH);
    int in = -1, out = -1, weighted = -1, source, source_weight, destination, destination_weight;
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    CHECK(in == 1 && out == 1 && weighted == 1);
    MPI_Dist_graph_neighbors(comm, 1, &source, &source_weight, 1, &destination,
                             &destination_weight);
    CHECK(source == before && source_weight == me && destination == next &&
          destination_weight == next);
    int got = -1;
    CHECK(MPI_Neighbor_alltoall(&me, 1, MPI_INT, &got, 1, MPI_INT, comm) == MPI_SUCCESS &&
          got == before);
  }
  MPI_Comm_free(&ring);
  MPI_Comm_free(&same);
  int in = -1, out = -1, weighted = -1;
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring) == MPI_SUCCESS);
  MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted);
  CHECK(in == 0 && out == 0 && weighted == 0);
  CHECK(MPI_Neighbor_alltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, ring) == MPI_SUCCESS);
  MPI_Comm_free(&ring);
  CHECK(class_of(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &n, MPI_UNWEIGHTED, 0, nullptr,
                                                MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring)) ==
        MPI_ERR_RANK);
}

// Puts this process on one of the first two CPUs that it may use, by its rank; where it was before
// comes back.
class OnCpu {
 public:
  OnCpu() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0, found = 0; cpu < CPU_SETSIZE && found <= me % 2; ++cpu) {
      if (CPU_ISSET(cpu, &before_) && found++ == me % 2) CPU_SET(cpu, &one);
    }
    if (CPU_COUNT(&before_) > 1) sched_setaffinity(0, sizeof one, &one);
  }
  ~OnCpu() { sched_setaffinity(0, sizeof before_, &before_); }
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;
  bool differ() const { return CPU_COUNT(&before_) > 1; }  // whether there are two CPUs

 private:
  cpu_set_t before_;
};

// With reordering the process of rank r has the edges that rank r gave; here with partners in
// pairs, who are on different CPUs before and on one after.
void test_reordered() {
  if (n % 4 != 0) return;
  const int partner = me ^ 1, degree = 1, heavy = 50 + me;
  const OnCpu bound;
  MPI_Comm pairs, same;
  CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, &partner, &heavy, MPI_INFO_NULL, 1,
                              &pairs) == MPI_SUCCESS);
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &partner, &me, 1, &partner, &heavy,
                                       MPI_INFO_NULL, 1, &same) == MPI_SUCCESS);
  for (MPI_Comm comm : {pairs, same}) {
    const int rank = rank_in(comm);
    int source, source_weight, destination, weight, their_rank = -1, their_start = -1;
    MPI_Dist_graph_neighbors(comm, 1, &source, &source_weight, 1, &destination, &weight);
    CHECK(source == (rank ^ 1) && destination == (rank ^ 1) && weight == 50 + rank);
    CHECK(source_weight == (comm == pairs ? 50 + (rank ^ 1) : rank));
    MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &their_rank, 1, MPI_INT, comm);
    MPI_Neighbor_alltoall(&me, 1, MPI_INT, &their_start, 1, MPI_INT, comm);
    CHECK(their_rank == (rank ^ 1));
    CHECK(!bound.differ() || their_start % 2 == me % 2);
  }
  MPI_Comm_free(&pairs);
  MPI_Comm_free(&same);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  test_dims();
  test_cartesian(false);
  test_cartesian(true);
  test_small_grids();
  test_graph();
  test_distributed();
  test_reordered();
  return finish();
}
