// SPDX-License-Identifier: BSD-3-Clause
// Type maps written out entry by entry: the definitions of the standard, as
// slowly and plainly as they read.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "tests/datatype/types.h"

namespace tessera::test {

struct MapEntry {
  Kind kind;
  Aint displacement;
};

struct TypeMap {
  std::vector<MapEntry> data;
  std::vector<Aint> lower_markers, upper_markers;

  void add(const TypeMap& other, Aint shift) {
    for (const MapEntry& e : other.data) data.push_back({e.kind, e.displacement + shift});
    for (const Aint m : other.lower_markers) lower_markers.push_back(m + shift);
    for (const Aint m : other.upper_markers) upper_markers.push_back(m + shift);
  }
  Count size() const {
    Count sum = 0;
    for (const MapEntry& e : data) sum += find_basic(e.kind)->size;
    return sum;
  }
  Aint true_lb() const {
    Aint lowest = data.empty() ? 0 : std::numeric_limits<Aint>::max();
    for (const MapEntry& e : data) lowest = std::min(lowest, e.displacement);
    return lowest;
  }
  Aint true_ub() const {
    Aint highest = data.empty() ? 0 : std::numeric_limits<Aint>::min();
    for (const MapEntry& e : data)
      highest = std::max(highest, e.displacement + find_basic(e.kind)->size);
    return highest;
  }
  Aint lb() const {
    if (lower_markers.empty()) return true_lb();
    return *std::min_element(lower_markers.begin(), lower_markers.end());
  }
  Aint ub() const {
    if (!upper_markers.empty())
      return *std::max_element(upper_markers.begin(), upper_markers.end());
    if (data.empty()) return lb();
    Aint alignment = 1;
    for (const MapEntry& e : data)
      alignment = std::max<Aint>(alignment, find_basic(e.kind)->alignment);
    Aint ub = true_ub();
    while ((ub - lb()) % alignment != 0) ++ub;
    return ub;
  }
  Aint extent() const { return ub() - lb(); }

  // Whether `count` copies touch a byte twice.
  bool overlaps(Count count) const {
    std::vector<std::pair<Aint, Aint>> ranges;
    for (Count i = 0; i < count; ++i) {
      for (const MapEntry& e : data) {
        const Aint at = e.displacement + i * extent();
        ranges.emplace_back(at, at + find_basic(e.kind)->size);
      }
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].first < ranges[i - 1].second) return true;
    }
    return false;
  }

  // The displacement of each byte of data of `count` copies, in order.
  std::vector<Aint> bytes(Count count) const {
    std::vector<Aint> all;
    for (Count i = 0; i < count; ++i) {
      for (const MapEntry& e : data) {
        for (Aint b = 0; b < find_basic(e.kind)->size; ++b)
          all.push_back(e.displacement + i * extent() + b);
      }
    }
    return all;
  }
};

}  // namespace tessera::test
