// SPDX-License-Identifier: BSD-3-Clause
// Data that travels in segments: Segments.
#pragma once

#include <algorithm>
#include <limits>

#include "blocks.h"

namespace tessera::coll::basic {

// As the usual segment of an algorithm: do not cut.
inline constexpr Count kOneSegment = std::numeric_limits<Count>::max();

// `units` of data, `bytes` in all, in segments as equal as can be, of at least `segment` bytes
// unless the units are larger, and none empty unless all is. There is an end to their number,
// because each costs a step in the schedule.
class Segments {
 public:
  Segments(Count units, Count bytes, Count segment) noexcept
      : units_(units),
        number_(static_cast<int>(std::clamp<Count>(bytes / std::max<Count>(segment, 1), 1,
                                                   std::clamp<Count>(units, 1, kMost)))) {}
  int number() const noexcept { return number_; }
  Count begin(int i) const noexcept { return cut(units_, number_, i); }
  Count end(int i) const noexcept { return begin(i + 1); }
  Count longest() const noexcept { return end(0); }

 private:
  static constexpr Count kMost = 1024;
  Count units_;
  int number_;
};

}  // namespace tessera::coll::basic
