// SPDX-License-Identifier: BSD-3-Clause
// The regions attached to a dynamic window, shown to the other processes: Regions.
#pragma once
//
// The owner keeps a sorted table in its private memory and shows its address and length in its
// slot, with a version that is odd while they change. Others read the table out of the owner's
// memory when the version is not the one they know.
//
#include <vector>

#include "control.h"
#include "memory.h"

namespace tessera::osc::sm {

class Regions {
 public:
  Regions(Window& window, Control& control, const Memory& memory) noexcept;

  Status attach(const void* base, Aint bytes) noexcept;
  Status detach(const void* base) noexcept;
  // ok, or argument: not all of [begin, end) lies in one region that `rank` has attached.
  Status check(int rank, std::uintptr_t begin, std::uintptr_t end) noexcept;

 private:
  struct Region {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  struct Table {
    std::uint32_t version = 0;
    std::vector<Region> regions;
  };
  template <class Change>
  Status change(Change act) noexcept;
  Status refresh(int rank) noexcept;

  Window& window_;
  Control& control_;
  const Memory& memory_;       // knows the processes
  std::vector<Table> tables_;  // by rank
};

}  // namespace tessera::osc::sm
