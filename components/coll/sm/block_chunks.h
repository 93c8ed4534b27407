// SPDX-License-Identifier: BSD-3-Clause
// Chunks with an equally long block for every other process: publish_blocks(), my_block().
#pragma once

#include <algorithm>

#include "bytes.h"
#include "round.h"
#include "stream.h"

namespace tessera::coll::sm {

inline std::size_t others(const SharedSegment& segment) noexcept {
  return static_cast<std::size_t>(segment.size() - 1);
}

// Bytes of a block that fit such a chunk, of an alltoall and of a scatter. Divided as numbers of 32
// bits, which takes a fraction of the time.
inline std::size_t share(const SharedSegment& segment) noexcept {
  return static_cast<std::uint32_t>(segment.slot_bytes()) /
         static_cast<std::uint32_t>(segment.size());
}
inline std::size_t scatter_chunk(const SharedSegment& segment) noexcept {
  return std::min(share(segment), chunk_bytes(segment));
}

// Publishes, for every other process, `bytes` bytes from `position` on of its block.
inline void publish_blocks(SharedSegment& segment, Round round, const Side& side,
                           std::size_t position, std::size_t bytes) noexcept {
  std::byte* slot = segment.slot(round, bytes * others(segment));
  for (int rank = 0; rank < segment.size(); ++rank) {
    if (rank == segment.rank()) continue;
    block(side, rank).read(position, slot, bytes);
    slot += bytes;
  }
  segment.publish(round);
}

// This process's block in the chunk of `rank`.
inline const std::byte* my_block(SharedSegment& segment, Round round, int rank,
                                 std::size_t bytes) noexcept {
  const std::byte* chunk = segment.chunk(round, rank, bytes * others(segment));
  return chunk + place_among_others(rank, segment.rank()) * bytes;
}

}  // namespace tessera::coll::sm
