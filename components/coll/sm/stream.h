// SPDX-License-Identifier: BSD-3-Clause
// Data that goes one way over the shared segment: stream_out(), stream_in().
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

}  // namespace tessera::coll::sm
