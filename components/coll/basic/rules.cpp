// SPDX-License-Identifier: BSD-3-Clause
// The built-in rules: which algorithm for how many processes and how much data.
#include "chooser.h"

namespace tessera::coll::basic {

namespace {

using enum Operation;

constexpr int kAny = kAnyNumber;
constexpr Count kAll = kAnyAmount;
constexpr Count KiB = 1024;

// Of those that cover a call and whose algorithm fits it, the first counts.
constexpr Rule kRules[] = {
    {barrier, "dissemination", kAny, kAll},
    {bcast, "binomial", kAny, 64 * KiB},
    {bcast, "binomial", 2, kAll},
    {bcast, "chain", 16, kAll},
    {bcast, "scatter_allgather", kAny, kAll},
    {gather, "binomial", kAny, 2 * KiB},
    {gather, "linear", kAny, kAll},
    {gatherv, "linear", kAny, kAll},
    {scatter, "binomial", kAny, 2 * KiB},
    {scatter, "linear", kAny, kAll},
    {scatterv, "linear", kAny, kAll},
    {allgather, "recursive_doubling", kAny, 32 * KiB},
    {allgather, "bruck", kAny, 1 * KiB},
    {allgather, "ring", kAny, kAll},
    {allgatherv, "linear", 4, kAll},
    {allgatherv, "ring", kAny, kAll},
    {alltoall, "linear", 4, kAll},
    {alltoall, "bruck", kAny, 256},
    {alltoall, "linear", 32, 32 * KiB},
    {alltoall, "pairwise", kAny, kAll},
    {alltoallv, "linear", 32, kAll},
    {alltoallv, "pairwise", kAny, kAll},
    {alltoallw, "linear", 32, kAll},
    {alltoallw, "pairwise", kAny, kAll},
    {reduce, "binomial", kAny, kAll},
    {allreduce, "recursive_doubling", kAny, 4 * KiB},
    {allreduce, "rabenseifner", kAny, 512 * KiB},
    {allreduce, "ring", kAny, kAll},
    {allreduce, "recursive_doubling", kAny, kAll},
    {reduce_scatter, "recursive_halving", kAny, 256 * KiB},
    {reduce_scatter, "pairwise", kAny, kAll},
    {reduce_scatter, "ordered", kAny, kAll},
    {reduce_scatter_block, "recursive_halving", kAny, 256 * KiB},
    {reduce_scatter_block, "pairwise", kAny, kAll},
    {reduce_scatter_block, "ordered", kAny, kAll},
    {scan, "recursive_doubling", kAny, kAll},
    {exscan, "recursive_doubling", kAny, kAll},
    {neighbor_allgather, "linear", kAny, kAll},
    {neighbor_allgatherv, "linear", kAny, kAll},
    {neighbor_alltoall, "linear", kAny, kAll},
    {neighbor_alltoallv, "linear", kAny, kAll},
    {neighbor_alltoallw, "linear", kAny, kAll},
};

}  // namespace

std::span<const Rule> builtin_rules() noexcept {
  return kRules;
}

}  // namespace tessera::coll::basic
