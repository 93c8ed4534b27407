// SPDX-License-Identifier: BSD-3-Clause
// Data that goes over the shared segment one way, stream_out() and stream_in(), or between two
// processes both ways: stream_both().
#pragma once

#include "bytes.h"
#include "plan.h"
#include "shared_segment.h"

namespace tessera::coll::sm {

// Bytes that one round has of data that goes one way.
inline std::size_t chunk_bytes(const SharedSegment& segment) noexcept {
  return one_way_chunk(segment.oversubscribed(), segment.slot_bytes());
}

// Shows all of `data`, which others stream_in().
[[gnu::hot]] inline void stream_out(SharedSegment& segment, const Bytes& data) noexcept {
  in_chunks(data.total(), chunk_bytes(segment), [&](std::size_t position, std::size_t bytes) {
    const Round round = segment.enter();
    data.read(position, segment.slot(round, bytes), bytes);
    segment.publish(round);
    segment.fetch_next_slot(round, bytes);
    segment.leave(round);
  });
}

// Fills `data` with what process `from` gives: as many bytes.
[[gnu::hot]] inline void stream_in(SharedSegment& segment, int from, const Bytes& data) noexcept {
  in_chunks(data.total(), chunk_bytes(segment), [&](std::size_t position, std::size_t bytes) {
    const Round round = segment.enter();
    data.write(position, segment.chunk(round, from, bytes), bytes);
    segment.leave(round);
  });
}

// The part of data of `total` bytes that lies in a chunk.
inline std::size_t overlap(std::size_t total, std::size_t position, std::size_t bytes) noexcept {
  return total > position ? std::min(bytes, total - position) : 0;
}

// One of two processes gives `mine` and gets `theirs`, the other the other way round. They may be
// of any length, and the same memory if they are of one length.
inline void stream_both(SharedSegment& segment, const Bytes& mine, const Bytes& theirs) noexcept {
  const std::size_t longest = std::max(mine.total(), theirs.total());
  in_chunks(longest, segment.slot_bytes() / 2, [&](std::size_t position, std::size_t bytes) {
    const Round round = segment.enter();
    if (const std::size_t out = overlap(mine.total(), position, bytes); out > 0) {
      mine.read(position, segment.slot(round, out), out);
      segment.publish(round);
    }
    if (const std::size_t in = overlap(theirs.total(), position, bytes); in > 0)
      theirs.write(position, segment.chunk(round, 1 - segment.rank(), in), in);
    segment.leave(round);
  });
}

}  // namespace tessera::coll::sm
