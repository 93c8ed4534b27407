// SPDX-License-Identifier: BSD-3-Clause
// Sizes and offsets of btl/sm's region.
#include "layout.h"

#include <algorithm>

namespace tessera::btl::sm {

namespace {

// A ring nobody chose a size for shrinks in larger jobs: all rings towards one process shall stay
// in the caches, as far as that leaves room for some messages, and of many processes within this
// memory. (ialltoall of 4 KiB on 16 processes: 0.3 ms instead of 1 until each ring has been gone
// through once, and no less after that; docs/decisions/0065.)
constexpr std::uint64_t kSmallestCached = 32u << 10;
constexpr std::uint64_t kDataPerReceiver = 4u << 20;
constexpr std::uint64_t kSmallestDefault = 16u << 10;
constexpr std::uint32_t kManyRanks = 32;
constexpr std::int64_t kSlotsForManyRanks = 62;  // with the credit, one page

std::uint64_t ring_size(const Params& params, const MachineFigures& figures,
                        std::uint32_t ranks) noexcept {
  const std::uint64_t asked = params.size("ring_size");
  if (params.chosen("ring_size")) return asked;
  const std::uint64_t cached =
      std::max(kSmallestCached, figures.second_level / ranks / kPage * kPage);
  return std::min({asked, cached, std::max(kSmallestDefault, kDataPerReceiver / ranks)});
}

std::int64_t slot_count(const Params& params, std::uint32_t ranks) noexcept {
  const std::int64_t asked = params.integer("slots");
  return params.chosen("slots") || ranks <= kManyRanks ? asked
                                                       : std::min(asked, kSlotsForManyRanks);
}

// Credit below one `data_return` may stay with the receiver, and at the end of the ring up to
// `largest` bytes less one line are skipped to keep a payload in one piece: both together must
// leave room for `largest` in an idle ring.
std::uint32_t largest_reservation(std::uint32_t data, std::uint32_t data_return) noexcept {
  return static_cast<std::uint32_t>((data - data_return + 2 * kCacheLine) / 2 / kCacheLine *
                                    kCacheLine);
}

}  // namespace

Geometry Geometry::from(const Params& params, const MachineFigures& figures,
                        std::uint32_t ranks) noexcept {
  return of(ranks, static_cast<std::uint64_t>(slot_count(params, ranks)),
            ring_size(params, figures, ranks) / kCacheLine * kCacheLine);
}

Geometry Geometry::of_pair(const Params& params, const MachineFigures& figures,
                           std::size_t room) noexcept {
  constexpr std::uint64_t kMostSlots = 1022, kMostData = 256u << 10;
  const Geometry wished = from(params, figures, 2);
  Geometry geometry = of(2, std::min<std::uint64_t>(wished.slots, kMostSlots),
                         std::min<std::uint64_t>(wished.data, kMostData));
  while (geometry.region_bytes() > room) geometry = of(2, geometry.slots, geometry.data / 2);
  return geometry;
}

Geometry Geometry::of(std::uint32_t ranks, std::uint64_t slots, std::uint64_t data) noexcept {
  Geometry geometry;
  geometry.ranks = ranks;
  geometry.slots = static_cast<std::uint32_t>(slots);
  geometry.data = static_cast<std::uint32_t>(data);
  geometry.slots_return = std::max(1u, geometry.slots / 4);
  geometry.data_return =
      static_cast<std::uint32_t>(std::max(kCacheLine, geometry.data / 4 / kCacheLine * kCacheLine));
  geometry.largest = largest_reservation(geometry.data, geometry.data_return);
  return geometry;
}

std::size_t Geometry::process_entry_bytes() const noexcept {
  return round_up(sizeof(ProcessEntry) + (std::size_t{ranks} + 1) * sizeof(std::uint32_t),
                  kCacheLine);
}

std::size_t Geometry::pair(std::uint32_t sender, std::uint32_t receiver) const noexcept {
  return round_up(process_entry(ranks), kPage) +
         (std::size_t{receiver} * ranks + sender) * pair_bytes();
}

}  // namespace tessera::btl::sm
