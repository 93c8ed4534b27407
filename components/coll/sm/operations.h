// SPDX-License-Identifier: BSD-3-Clause
// The operations that coll/sm carries out on a shared segment.
#pragma once
//
// Contract. Each is called by all processes of the shared segment alike, with checked arguments of
// an intracommunicator. A call whose data is larger than a chunk goes through several rounds.
// Reductions and scans combine in the order of ranks, whatever the operation, so that all processes
// get the same bits.
//
#include "blocks.h"

namespace tessera::coll::sm {

// Short calls run through functions that are marked hot: the linker puts these side by side, on few
// pages (docs/decisions/0154).

// movement.cpp
[[gnu::hot]] Status barrier(SharedSegment& segment, const Call& call) noexcept;
[[gnu::hot]] Status bcast(SharedSegment& segment, const Call& call) noexcept;
[[gnu::hot]] Status gather(SharedSegment& segment, const Call& call) noexcept;
[[gnu::hot]] Status scatter(SharedSegment& segment, const Call& call) noexcept;
[[gnu::hot]] Status allgather(SharedSegment& segment, const Call& call) noexcept;
[[gnu::hot]] Status alltoall(SharedSegment& segment, const Call& call) noexcept;

// vectors.cpp: blocks that may differ in length. allgatherv: unsupported, if one is too long to be
// shown.
Status gatherv(SharedSegment& segment, const Call& call,
               const BlockLimits& limits) noexcept;  // and gather
[[gnu::hot]] Status scatterv(SharedSegment& segment, const Call& call,
                             const BlockLimits& limits) noexcept;  // and scatter
Status allgatherv(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept;
Status alltoallv(SharedSegment& segment, const Call& call,
                 const BlockLimits& limits) noexcept;  // and alltoallw, alltoall

// neighbours.cpp: neighbor_allgather(v), and neighbor_alltoall(v, w) of a Cartesian topology.
// Blocks of up to `longest` bytes are shown, as far as there is room; others are sent.
Status to_neighbours(SharedSegment& segment, const Call& call, std::size_t longest) noexcept;

// reductions.cpp: the type is contiguous, and a chunk holds an element of it for every process.
[[gnu::hot]] Status reduce(SharedSegment& segment, const Call& call) noexcept;
[[gnu::hot]] Status allreduce(SharedSegment& segment, const Call& call) noexcept;
Status reduce_scatter(SharedSegment& segment,
                      const Call& call) noexcept;  // and reduce_scatter_block

// scans.cpp: likewise.
[[gnu::hot]] Status scan(SharedSegment& segment, const Call& call) noexcept;  // and exscan

// direct.cpp: likewise, where `cma` is open; an element is no larger than a block of it.
Status direct_reduce(SharedSegment& segment, const CmaAccess& cma, const Call& call) noexcept;
Status direct_allreduce(SharedSegment& segment, const CmaAccess& cma, const Call& call) noexcept;
Status direct_reduce_scatter(SharedSegment& segment, const CmaAccess& cma,
                             const Call& call) noexcept;
Status direct_exscan(SharedSegment& segment, const CmaAccess& cma, const Call& call,
                     bool split) noexcept;  // of two processes; `split` as in direct_bcast()

// direct_bcast.cpp: where `cma` is open. `split`: the root copies a part of the data itself.
Status direct_bcast(SharedSegment& segment, const CmaAccess& cma, const Call& call,
                    bool split) noexcept;

// direct_pair.cpp: gather(v) and scatter(v) of two processes, where `cma` is open. unsupported, on
// both, and nothing has been copied between them, where a datatype has holes or the two do not
// agree on the length. `split`: both copy a part.
Status direct_pair(SharedSegment& segment, const CmaAccess& cma, const Call& call,
                   bool split) noexcept;

}  // namespace tessera::coll::sm
