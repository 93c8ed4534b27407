// SPDX-License-Identifier: BSD-3-Clause
// The collective operations that the tuner measures: one call of each.
#include <algorithm>
#include <iterator>

#include "exchange.h"

namespace tessera::tuning {

namespace {

using E = Exchange;

void barrier(const E&, MPI_Comm comm, int) {
  MPI_Barrier(comm);
}

void bcast(const E& e, MPI_Comm comm, int root) {
  MPI_Bcast(e.in.begin(), e.in.total(), MPI_DOUBLE, root, comm);
}

void gather(const E& e, MPI_Comm comm, int root) {
  MPI_Gather(e.out.begin(), e.out.total(), MPI_DOUBLE, e.in.begin(), e.in.counts[0], MPI_DOUBLE,
             root, comm);
}

void gatherv(const E& e, MPI_Comm comm, int root) {
  MPI_Gatherv(e.out.begin(), e.out.total(), MPI_DOUBLE, e.in.begin(), e.in.counts.data(),
              e.in.places.data(), MPI_DOUBLE, root, comm);
}

void scatter(const E& e, MPI_Comm comm, int root) {
  MPI_Scatter(e.out.begin(), e.out.counts[0], MPI_DOUBLE, e.in.begin(), e.in.total(), MPI_DOUBLE,
              root, comm);
}

void scatterv(const E& e, MPI_Comm comm, int root) {
  MPI_Scatterv(e.out.begin(), e.out.counts.data(), e.out.places.data(), MPI_DOUBLE, e.in.begin(),
               e.in.total(), MPI_DOUBLE, root, comm);
}

void allgather(const E& e, MPI_Comm comm, int) {
  MPI_Allgather(e.out.begin(), e.out.total(), MPI_DOUBLE, e.in.begin(), e.in.counts[0], MPI_DOUBLE,
                comm);
}

void allgatherv(const E& e, MPI_Comm comm, int) {
  MPI_Allgatherv(e.out.begin(), e.out.total(), MPI_DOUBLE, e.in.begin(), e.in.counts.data(),
                 e.in.places.data(), MPI_DOUBLE, comm);
}

void alltoall(const E& e, MPI_Comm comm, int) {
  MPI_Alltoall(e.out.begin(), e.out.counts[0], MPI_DOUBLE, e.in.begin(), e.in.counts[0], MPI_DOUBLE,
               comm);
}

void alltoallv(const E& e, MPI_Comm comm, int) {
  MPI_Alltoallv(e.out.begin(), e.out.counts.data(), e.out.places.data(), MPI_DOUBLE, e.in.begin(),
                e.in.counts.data(), e.in.places.data(), MPI_DOUBLE, comm);
}

void alltoallw(const E& e, MPI_Comm comm, int) {
  MPI_Alltoallw(e.out.begin(), e.out.counts.data(), e.out.byte_places.data(), e.out.types.data(),
                e.in.begin(), e.in.counts.data(), e.in.byte_places.data(), e.in.types.data(), comm);
}

void reduce(const E& e, MPI_Comm comm, int root) {
  MPI_Reduce(e.out.begin(), e.in.begin(), e.out.total(), MPI_DOUBLE, MPI_SUM, root, comm);
}

void allreduce(const E& e, MPI_Comm comm, int) {
  MPI_Allreduce(e.out.begin(), e.in.begin(), e.out.total(), MPI_DOUBLE, MPI_SUM, comm);
}

void reduce_scatter(const E& e, MPI_Comm comm, int) {
  MPI_Reduce_scatter(e.out.begin(), e.in.begin(), e.in.counts.data(), MPI_DOUBLE, MPI_SUM, comm);
}

void reduce_scatter_block(const E& e, MPI_Comm comm, int) {
  MPI_Reduce_scatter_block(e.out.begin(), e.in.begin(), e.in.counts[0], MPI_DOUBLE, MPI_SUM, comm);
}

void scan(const E& e, MPI_Comm comm, int) {
  MPI_Scan(e.out.begin(), e.in.begin(), e.out.total(), MPI_DOUBLE, MPI_SUM, comm);
}

void exscan(const E& e, MPI_Comm comm, int) {
  MPI_Exscan(e.out.begin(), e.in.begin(), e.out.total(), MPI_DOUBLE, MPI_SUM, comm);
}

void neighbor_allgather(const E& e, MPI_Comm comm, int) {
  MPI_Neighbor_allgather(e.out.begin(), e.out.total(), MPI_DOUBLE, e.in.begin(), e.in.counts[0],
                         MPI_DOUBLE, comm);
}

void neighbor_allgatherv(const E& e, MPI_Comm comm, int) {
  MPI_Neighbor_allgatherv(e.out.begin(), e.out.total(), MPI_DOUBLE, e.in.begin(),
                          e.in.counts.data(), e.in.places.data(), MPI_DOUBLE, comm);
}

void neighbor_alltoall(const E& e, MPI_Comm comm, int) {
  MPI_Neighbor_alltoall(e.out.begin(), e.out.counts[0], MPI_DOUBLE, e.in.begin(), e.in.counts[0],
                        MPI_DOUBLE, comm);
}

void neighbor_alltoallv(const E& e, MPI_Comm comm, int) {
  MPI_Neighbor_alltoallv(e.out.begin(), e.out.counts.data(), e.out.places.data(), MPI_DOUBLE,
                         e.in.begin(), e.in.counts.data(), e.in.places.data(), MPI_DOUBLE, comm);
}

void neighbor_alltoallw(const E& e, MPI_Comm comm, int) {
  const std::vector<MPI_Aint> from(e.out.byte_places.begin(), e.out.byte_places.end());
  const std::vector<MPI_Aint> to(e.in.byte_places.begin(), e.in.byte_places.end());
  MPI_Neighbor_alltoallw(e.out.begin(), e.out.counts.data(), from.data(), e.out.types.data(),
                         e.in.begin(), e.in.counts.data(), to.data(), e.in.types.data(), comm);
}

constexpr Kind kKinds[] = {
    {"barrier", Shape::none, false, false, barrier},
    {"bcast", Shape::bcast, false, false, bcast},
    {"gather", Shape::gather, false, false, gather},
    {"gatherv", Shape::gather, true, false, gatherv},
    {"scatter", Shape::scatter, false, false, scatter},
    {"scatterv", Shape::scatter, true, false, scatterv},
    {"allgather", Shape::allgather, false, false, allgather},
    {"allgatherv", Shape::allgather, true, false, allgatherv},
    {"alltoall", Shape::alltoall, false, false, alltoall},
    {"alltoallv", Shape::alltoall, true, false, alltoallv},
    {"alltoallw", Shape::alltoall, true, false, alltoallw},
    {"reduce", Shape::reduce, false, false, reduce},
    {"allreduce", Shape::allreduce, false, false, allreduce},
    {"reduce_scatter", Shape::blocks, false, false, reduce_scatter},
    {"reduce_scatter_block", Shape::blocks, false, false, reduce_scatter_block},
    {"scan", Shape::scan, false, false, scan},
    {"exscan", Shape::scan, false, true, exscan},
    {"neighbor_allgather", Shape::neighbours, false, false, neighbor_allgather},
    {"neighbor_allgatherv", Shape::neighbours, true, false, neighbor_allgatherv},
    {"neighbor_alltoall", Shape::neighbours, false, true, neighbor_alltoall},
    {"neighbor_alltoallv", Shape::neighbours, true, true, neighbor_alltoallv},
    {"neighbor_alltoallw", Shape::neighbours, true, true, neighbor_alltoallw}};

}  // namespace

const Kind* find_kind(std::string_view operation) noexcept {
  const Kind* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                         [&](const Kind& kind) { return operation == kind.name; });
  return found != std::end(kKinds) ? found : nullptr;
}

}  // namespace tessera::tuning
