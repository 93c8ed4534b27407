// SPDX-License-Identifier: BSD-3-Clause
// Walking over a range of a view's stream.
#pragma once

#include <algorithm>

#include "core/io/view.h"

namespace tessera::io {

// visit(strip) for the strips of [position, position + bytes), cut to that range; ends early where
// it says false. Each strip follows the one before in the stream.
template <class Visit>
void each_strip(const View& view, Offset position, Offset bytes, Visit&& visit) noexcept {
  while (bytes > 0) {
    Strip strip = view.strip(position);
    if (bytes < strip.bytes) strip = {strip.offset, bytes, 0, 1};
    strip.count = std::min<Count>(strip.count, bytes / strip.bytes);
    if (!visit(strip)) return;
    position += strip.bytes * strip.count;
    bytes -= strip.bytes * strip.count;
  }
}

}  // namespace tessera::io
