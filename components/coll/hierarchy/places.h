// SPDX-License-Identifier: BSD-3-Clause
// Where processes run, as they find it out themselves: Place.
#pragma once
//
// Contract. A process knows its machine, and, where it is bound to processors that lie within one,
// the package and the last-level cache. Only a bound process asks for the topology of its machine.
//
#include <cstdint>
#include <span>
#include <vector>

#include "tree.h"

namespace tessera::coll::hierarchy {

struct Place {
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  std::uint64_t machine = 0;
  std::uint32_t package = kUnknown;
  std::uint32_t cache = kUnknown;
  std::uint64_t system = 0;  // 0: the job is one MPI system
};

// May throw std::bad_alloc.
Place own_place();

// By rank. A level that is not known of all is left out. May throw std::bad_alloc.
std::vector<Level> levels_of(std::span<const Place> places);

}  // namespace tessera::coll::hierarchy
