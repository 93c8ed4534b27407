// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a chain, in segments: each process forwards a segment while the next one arrives.
// Cost for n bytes in s segments: (p - 2 + s) (latency + n / s / bandwidth); every process sends the data
// once.
#include <algorithm>

#include "algorithms.h"
#include "byte_row.h"

namespace tessera::coll::basic {

namespace {

constexpr Count kSegmentBytes = 64 * 1024;
constexpr Count kMostSegments = 1024;  // bounds the schedule

int segments_of(Count bytes) noexcept {
  return static_cast<int>(std::clamp<Count>(bytes / kSegmentBytes, 1, kMostSegments));
}

}  // namespace

void bcast_chain(const Call& call, Schedule& schedule) {
  ByteRow row(schedule, result(call));
  const int me = modulo(call.rank - call.root, call.size);
  const int segments = segments_of(row.size());
  Lane from_left(schedule), to_right(schedule);
  for (int i = 0; i < segments; ++i) {
    const Count end = cut(row.size(), segments, i + 1);
    const Buffer segment = row.bytes(cut(row.size(), segments, i), end);
    StepId here = kNoStep;
    if (me > 0) row.arrives(here = from_left(schedule.recv(modulo(call.rank - 1, call.size), segment)));
    if (me == 0) here = row.filled(end);
    if (me + 1 < call.size) to_right(schedule.send(modulo(call.rank + 1, call.size), segment, {here}));
    if (me > 0) row.emptied(end);
  }
}

}  // namespace tessera::coll::basic
