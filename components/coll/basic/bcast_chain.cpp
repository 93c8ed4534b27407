// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a chain, in segments: each process forwards a segment while the next one arrives.
// Cost for n bytes in s segments: (p - 2 + s) (latency + n / s / bandwidth); every process sends the data
// once.
#include <algorithm>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

constexpr Count kSegmentBytes = 64 * 1024;
constexpr Count kMostSegments = 1024;  // bounds the schedule

int segments_of(const Buffer& data) noexcept {
  return static_cast<int>(
      std::clamp<Count>(data.bytes() / kSegmentBytes, 1, std::min(kMostSegments, data.count)));
}

}  // namespace

void bcast_chain(const Call& call, Schedule& schedule) {
  const Buffer data = result(call);
  const int me = modulo(call.rank - call.root, call.size);
  const int segments = segments_of(data);
  Lane from_left(schedule), to_right(schedule);
  for (int i = 0; i < segments; ++i) {
    StepId here = kNoStep;
    if (me > 0) here = from_left(schedule.recv(modulo(call.rank - 1, call.size), piece(data, segments, i)));
    if (me + 1 == call.size) continue;
    to_right(schedule.send(modulo(call.rank + 1, call.size), piece(data, segments, i), {here}));
  }
}

}  // namespace tessera::coll::basic
