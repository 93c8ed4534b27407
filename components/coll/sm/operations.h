// SPDX-License-Identifier: BSD-3-Clause
// The operations that coll/sm carries out on a board.
#pragma once
//
// Contract. Each is called by all processes of the board alike, with checked arguments of an
// intracommunicator. A call whose data is larger than a package goes through several steps.
// Reductions and scans combine in the order of ranks, whatever the operation, so that all processes
// get the same bits.
//
#include "blocks.h"

namespace tessera::coll::sm {

// movement.cpp
void barrier(Board& board, const Call& call) noexcept;
void bcast(Board& board, const Call& call) noexcept;
void gather(Board& board, const Call& call) noexcept;
void scatter(Board& board, const Call& call) noexcept;
void allgather(Board& board, const Call& call) noexcept;
void alltoall(Board& board, const Call& call) noexcept;

// vectors.cpp: blocks that may differ in length. allgatherv: unsupported, if one is too long to be
// shown.
Status gatherv(Board& board, const Call& call, const Ways& ways) noexcept;   // and gather
Status scatterv(Board& board, const Call& call, const Ways& ways) noexcept;  // and scatter
Status allgatherv(Board& board, const Call& call, const Ways& ways) noexcept;
Status alltoallv(Board& board, const Call& call,
                 const Ways& ways) noexcept;  // and alltoallw, alltoall

// neighbours.cpp: neighbor_allgather(v), and neighbor_alltoall(v, w) of a Cartesian topology.
// Blocks of up to `longest` bytes are shown, as far as there is room; others are sent.
Status to_neighbours(Board& board, const Call& call, std::size_t longest) noexcept;

// reductions.cpp: the type is dense, and a package holds an element of it for every process.
Status reduce(Board& board, const Call& call) noexcept;
Status allreduce(Board& board, const Call& call) noexcept;
Status reduce_scatter(Board& board, const Call& call) noexcept;  // and reduce_scatter_block

// scans.cpp: likewise.
Status scan(Board& board, const Call& call) noexcept;  // and exscan

// direct.cpp: likewise, where `reach` is open; an element is no larger than a block of it.
Status direct_reduce(Board& board, const Reach& reach, const Call& call) noexcept;
Status direct_allreduce(Board& board, const Reach& reach, const Call& call) noexcept;
Status direct_reduce_scatter(Board& board, const Reach& reach, const Call& call) noexcept;
Status direct_exscan(Board& board, const Reach& reach,
                     const Call& call) noexcept;  // of two processes

}  // namespace tessera::coll::sm
