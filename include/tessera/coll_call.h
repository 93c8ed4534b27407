// SPDX-License-Identifier: BSD-3-Clause
// coll: one collective call of one process with all its arguments: Call.
#pragma once
//
// Contract. A Call is made by the engine, its arguments checked, and lives as long as the function
// that takes it; the arrays and buffers are the caller's. Source: MPI-5.0 chapter 6, §8.6
// (neighborhoods).
//
#include <span>

#include "tessera/comm.h"
#include "tessera/component.h"

#define TESSERA_INTERFACE_coll 15

namespace tessera::coll {

// Blocking, nonblocking and persistent forms are the same operation.
// clang-format off
enum class Operation : std::uint8_t {
  barrier, bcast, gather, gatherv, scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, alltoallw,
  reduce, allreduce, reduce_scatter, reduce_scatter_block, scan, exscan,
  neighbor_allgather, neighbor_allgatherv, neighbor_alltoall, neighbor_alltoallv, neighbor_alltoallw,
};
inline constexpr const char* kOperationNames[] = {
  "barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv",
  "alltoallw", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan",
  "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"};
// clang-format on
inline constexpr std::size_t kOperations = std::size(kOperationNames);
constexpr const char* name(Operation operation) noexcept {
  return kOperationNames[static_cast<std::size_t>(operation)];
}

inline constexpr int kRoot =
    -4;  // root argument of the root process in an intercommunicator; its peers: kProcNull

// An array of the caller, read in place: `int` or 64-bit numbers.
class CountArray {
 public:
  constexpr CountArray() noexcept = default;
  constexpr CountArray(const int* numbers) noexcept : data_(numbers) {}                 // NOLINT
  constexpr CountArray(const Count* numbers) noexcept : data_(numbers), wide_(true) {}  // NOLINT
  Count operator[](int i) const noexcept {
    return wide_ ? static_cast<const Count*>(data_)[i] : static_cast<const int*>(data_)[i];
  }
  explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  const void* data_ = nullptr;
  bool wide_ = false;
};

// The send or the receive arguments of a call; which fields count is as in MPI's own argument list.
// Displacements are in extents of the type, those of alltoallw and neighbor_alltoallw in bytes.
struct Side {
  void* buffer = nullptr;  // never written on the send side
  Count count = 0;
  const Datatype* type = nullptr;
  CountArray counts;
  CountArray displacements;
  const Datatype* const* types = nullptr;  // the alltoallw kinds: one per rank or neighbour
};

// One collective operation of one process, with all its arguments. Arrays are read until emit() or
// run() returns.
//   bcast       data in `receive` on all processes
//   reductions  count (or counts) and type in `receive`, also where its buffer is null; and in
//               `send` unless in_place
//   in_place    `send` is not read (in scatter and scatterv, at the root: `receive` is not touched)
struct Call {
  Call() noexcept = default;
  Call(Operation what, Communicator& where) noexcept
      : operation(what),
        inter(where.inter()),
        rank(where.rank()),
        size(where.size()),
        remote_size(where.remote_size()),
        comm(&where) {}

  Operation operation = Operation::barrier;
  bool in_place = false;
  bool inter = false;
  // The neighbours are those of a Cartesian topology: pairs of (negative, positive) direction.
  bool cartesian = false;
  int rank = 0;
  int size = 1;  // of the local group
  int remote_size = 1;
  int root = 0;
  const Op* op = nullptr;
  Communicator* comm = nullptr;  // for the engine; null where a schedule is only looked at
  Side send;
  Side receive;
  // Neighbourhoods: in the order of the receive arguments; kProcNull allowed.
  std::span<const int> sources;
  std::span<const int> destinations;  // likewise of the send arguments
};

// Whether all neighbours get the same block.
constexpr bool gathers_from_neighbors(Operation operation) noexcept {
  return operation == Operation::neighbor_allgather || operation == Operation::neighbor_allgatherv;
}

// The source whose message is received as number `i`. Several edges may join two processes, and
// messages then match in order. On a Cartesian topology of two processes in a periodic dimension,
// or one, the message in the negative direction arrives from the positive one: the receives of each
// pair are posted the other way round. Source: MPI-5.0 section 8.6.
inline int arrival(const Call& call, int i) noexcept {
  return call.cartesian ? i ^ 1 : i;
}

// The amount of data by which a call is classified, in bytes: of the vector in bcast and
// reductions, of one block in gather, scatter, allgather and alltoall; 0 where processes may
// differ.
Count amount(const Call& call) noexcept;

// What a call combines with, as a number that is the same on all processes: predefined operations
// from 1 up, those of programs all together kOwnReduction; 0 for none.
inline constexpr std::uint8_t kOwnReduction = 15;
std::uint8_t reduction_number(const Op* op) noexcept;
const char* reduction_name(std::uint8_t number) noexcept;  // "MPI_SUM"

}  // namespace tessera::coll
