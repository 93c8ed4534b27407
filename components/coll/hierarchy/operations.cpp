// SPDX-License-Identifier: BSD-3-Clause
// The table of operations.
#include "operations.h"

namespace tessera::coll::hierarchy {

namespace {

using O = Operation;
constexpr O kBarrier[] = {O::barrier};
constexpr O kBcast[] = {O::bcast};
constexpr O kReduce[] = {O::reduce};
constexpr O kAllreduce[] = {O::reduce, O::allreduce, O::bcast};
constexpr O kGather[] = {O::gatherv};
constexpr O kScatter[] = {O::scatterv};
constexpr O kAllgather[] = {O::gatherv, O::allgatherv, O::bcast};
constexpr O kAlltoall[] = {O::gather, O::alltoallv, O::scatter};
constexpr O kReduceScatter[] = {O::reduce, O::reduce_scatter, O::scatterv};
constexpr O kScan[] = {O::exscan, O::bcast};

constexpr Way kWays[] = {
    {O::barrier, barrier, false, false, kBarrier},
    {O::bcast, bcast, true, false, kBcast},
    {O::reduce, reduce, true, false, kReduce},
    {O::allreduce, allreduce, true, false, kAllreduce},
    {O::gather, gather, false, false, kGather},
    {O::scatter, scatter, false, false, kScatter},
    {O::allgather, allgather, false, false, kAllgather},
    {O::allgatherv, allgather, false, false, kAllgather},
    {O::alltoall, alltoall, false, false, kAlltoall},
    {O::reduce_scatter, reduce_scatter, false, false, kReduceScatter},
    {O::reduce_scatter_block, reduce_scatter, false, false, kReduceScatter},
    {O::scan, scan, false, true, kScan},
    {O::exscan, scan, false, true, kScan},
};

}  // namespace

const Way* way_of(Operation operation) noexcept {
  for (const Way& way : kWays) {
    if (way.operation == operation) return &way;
  }
  return nullptr;
}

}  // namespace tessera::coll::hierarchy
