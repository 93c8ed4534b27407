// SPDX-License-Identifier: BSD-3-Clause
// Lower and upper bounds of datatypes.
#include "core/datatype/bounds.h"

#include <algorithm>

namespace tessera {

Checked Bounds::ub() const noexcept {
  if (upper_marker) return upper;
  if (!data) return lb();
  const Checked extent = Checked(high) - lb();
  if (!extent.ok()) return extent;
  Count rest = extent.value() % alignment;
  if (rest < 0) rest += alignment;
  return rest == 0 ? Checked(high) : Checked(high) + (alignment - rest);
}

bool Bounds::include(const Bounds& other, Checked first, Checked last) noexcept {
  if (other.data) {
    const Checked from = first + other.low;
    const Checked to = last + other.high;
    if (!from.ok() || !to.ok()) return false;
    low = data ? std::min(low, from.value()) : from.value();
    high = data ? std::max(high, to.value()) : to.value();
    data = true;
  }
  if (other.lower_marker) {
    const Checked from = first + other.lower;
    if (!from.ok()) return false;
    lower = lower_marker ? std::min(lower, from.value()) : from.value();
    lower_marker = true;
  }
  if (other.upper_marker) {
    const Checked to = last + other.upper;
    if (!to.ok()) return false;
    upper = upper_marker ? std::max(upper, to.value()) : to.value();
    upper_marker = true;
  }
  alignment = std::max(alignment, other.alignment);
  return true;
}

}  // namespace tessera
