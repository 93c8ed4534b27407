// SPDX-License-Identifier: BSD-3-Clause
// Which algorithms there are for which operation, and what they need.
#include "algorithms.h"

#include <bit>

namespace tessera::coll::basic {

namespace {

using enum Operation;

bool commutes(const Call& call) noexcept {
  return call.op->commutative();
}
constexpr const char* kCommutes = "an operation that commutes";

bool power_of_two(const Call& call) noexcept {
  return std::has_single_bit(static_cast<unsigned>(call.size));
}
constexpr const char* kPowerOfTwo = "a power of two of processes";

constexpr Algorithm kAlgorithms[] = {
    {barrier, "dissemination", barrier_dissemination},
    {barrier, "linear", barrier_linear},
    {bcast, "binomial", bcast_binomial},
    {bcast, "chain", bcast_chain},
    {bcast, "scatter_allgather", bcast_scatter_allgather},
    {bcast, "linear", bcast_linear},
    {gather, "binomial", gather_binomial},
    {gather, "linear", gather_linear},
    {gatherv, "linear", gather_linear},
    {scatter, "binomial", scatter_binomial},
    {scatter, "linear", scatter_linear},
    {scatterv, "linear", scatter_linear},
    {allgather, "recursive_doubling", allgather_recursive_doubling, power_of_two, kPowerOfTwo},
    {allgather, "bruck", allgather_bruck},
    {allgather, "ring", allgather_ring},
    {allgather, "linear", allgather_linear},
    {allgatherv, "ring", allgather_ring},
    {allgatherv, "linear", allgather_linear},
    {alltoall, "bruck", alltoall_bruck},
    {alltoall, "pairwise", alltoall_pairwise},
    {alltoall, "linear", alltoall_linear},
    {alltoallv, "pairwise", alltoall_pairwise},
    {alltoallv, "linear", alltoall_linear},
    {alltoallw, "pairwise", alltoall_pairwise},
    {alltoallw, "linear", alltoall_linear},
    {reduce, "binomial", reduce_binomial},
    {reduce, "linear", reduce_linear},
    {allreduce, "rabenseifner", allreduce_rabenseifner, commutes, kCommutes},
    {allreduce, "ring", allreduce_ring, commutes, kCommutes},
    {allreduce, "reduce_bcast", allreduce_reduce_bcast},
    {allreduce, "recursive_doubling", allreduce_recursive_doubling},
    {reduce_scatter, "recursive_halving", reduce_scatter_recursive_halving, commutes, kCommutes},
    {reduce_scatter, "pairwise", reduce_scatter_pairwise, commutes, kCommutes},
    {reduce_scatter, "ordered", reduce_scatter_ordered},
    {reduce_scatter_block, "recursive_halving", reduce_scatter_recursive_halving, commutes, kCommutes},
    {reduce_scatter_block, "pairwise", reduce_scatter_pairwise, commutes, kCommutes},
    {reduce_scatter_block, "ordered", reduce_scatter_ordered},
    {scan, "recursive_doubling", scan_recursive_doubling},
    {scan, "linear", scan_linear},
    {exscan, "recursive_doubling", exscan_recursive_doubling},
    {exscan, "linear", exscan_linear},
    {neighbor_allgather, "linear", neighbor_linear},
    {neighbor_allgatherv, "linear", neighbor_linear},
    {neighbor_alltoall, "linear", neighbor_linear},
    {neighbor_alltoallv, "linear", neighbor_linear},
    {neighbor_alltoallw, "linear", neighbor_linear},
};

constexpr Algorithm kInter[] = {
    {barrier, "inter", inter_barrier},
    {bcast, "inter", inter_bcast},
    {gather, "linear", gather_linear},
    {gatherv, "linear", gather_linear},
    {scatter, "linear", scatter_linear},
    {scatterv, "linear", scatter_linear},
    {allgather, "linear", allgather_linear},
    {allgatherv, "linear", allgather_linear},
    {alltoall, "linear", alltoall_linear},
    {alltoallv, "linear", alltoall_linear},
    {alltoallw, "linear", alltoall_linear},
    {reduce, "inter", inter_reduce},
    {allreduce, "inter", inter_allreduce},
    {reduce_scatter, "inter", inter_reduce_scatter},
    {reduce_scatter_block, "inter", inter_reduce_scatter},
};

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

const Algorithm* inter_algorithm(Operation operation) noexcept {
  for (const Algorithm& each : kInter) {
    if (each.operation == operation) return &each;
  }
  return nullptr;
}

}  // namespace tessera::coll::basic
