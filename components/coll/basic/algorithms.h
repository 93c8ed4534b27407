// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of coll/basic: one function each, in the file of its name.
#pragma once

#include <span>

#include "tessera/coll.h"

namespace tessera::coll::basic {

// Writes down the part of process call.rank. May throw std::bad_alloc.
using Emit = void (*)(const Call& call, Schedule& schedule);

struct Algorithm {
  Operation operation;
  const char* name;  // a value of the parameter coll_basic_<operation>_algorithm
  Emit emit;
  bool (*fits)(const Call& call) noexcept = nullptr;  // null: any call on an intracommunicator
  const char* needs = "";                             // what fits() asks for, in words
};

// All for intracommunicators. For each operation, the last one fits every call.
std::span<const Algorithm> algorithms() noexcept;
// The one for intercommunicators, or null (scan, exscan and neighbourhoods are not defined there).
const Algorithm* inter_algorithm(Operation operation) noexcept;

void barrier_dissemination(const Call& call, Schedule& schedule);
void barrier_linear(const Call& call, Schedule& schedule);
void bcast_binomial(const Call& call, Schedule& schedule);
void bcast_chain(const Call& call, Schedule& schedule);
void bcast_scatter_allgather(const Call& call, Schedule& schedule);
void bcast_linear(const Call& call, Schedule& schedule);
void gather_binomial(const Call& call, Schedule& schedule);
void gather_linear(const Call& call, Schedule& schedule);
void scatter_binomial(const Call& call, Schedule& schedule);
void scatter_linear(const Call& call, Schedule& schedule);
void allgather_recursive_doubling(const Call& call, Schedule& schedule);
void allgather_bruck(const Call& call, Schedule& schedule);
void allgather_ring(const Call& call, Schedule& schedule);
void allgather_linear(const Call& call, Schedule& schedule);
void alltoall_bruck(const Call& call, Schedule& schedule);
void alltoall_pairwise(const Call& call, Schedule& schedule);
void alltoall_linear(const Call& call, Schedule& schedule);
void reduce_binomial(const Call& call, Schedule& schedule);
void reduce_linear(const Call& call, Schedule& schedule);
void allreduce_recursive_doubling(const Call& call, Schedule& schedule);
void allreduce_rabenseifner(const Call& call, Schedule& schedule);
void allreduce_ring(const Call& call, Schedule& schedule);
void allreduce_reduce_bcast(const Call& call, Schedule& schedule);
void reduce_scatter_recursive_halving(const Call& call, Schedule& schedule);
void reduce_scatter_pairwise(const Call& call, Schedule& schedule);
void reduce_scatter_ordered(const Call& call, Schedule& schedule);
void scan_recursive_doubling(const Call& call, Schedule& schedule);
void scan_linear(const Call& call, Schedule& schedule);
void exscan_recursive_doubling(const Call& call, Schedule& schedule);
void exscan_linear(const Call& call, Schedule& schedule);
void neighbor_linear(const Call& call, Schedule& schedule);

void inter_barrier(const Call& call, Schedule& schedule);
void inter_bcast(const Call& call, Schedule& schedule);
void inter_reduce(const Call& call, Schedule& schedule);
void inter_allreduce(const Call& call, Schedule& schedule);
void inter_reduce_scatter(const Call& call, Schedule& schedule);

}  // namespace tessera::coll::basic
