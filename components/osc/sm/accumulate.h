// SPDX-License-Identifier: BSD-3-Clause
// Accumulates: atomic per element, by the processor or under a lock.
#pragma once
//
// A location is served by one method, which depends on nothing but its address, the kind of its
// elements and the window. Integers and truth values of up to 8 bytes at aligned addresses are
// changed by instructions of the processor; all others (numbers with a point, complex ones, pairs,
// long ones, any that are not aligned) under the lock of their stripe, that of 4 KiB of the
// target's memory, which is held for a whole stripe of an operation: a long accumulate of doubles
// then runs at the speed of a reduction. Memory that not all processes can map, and windows whose
// info asks for a granularity, use locks only.
//
#include "control.h"
#include "foreign.h"
#include "locks.h"

namespace tessera::osc::sm {

// How a target's memory is reached.
struct Place {
  std::uintptr_t base;  // where distances count from: its address here; 0: addresses at the owner
  std::int32_t pid;     // 0: it can be loaded and stored here
  int rank;             // of the owner
  bool by_lock;         // never by the processor
  bool alone;           // nobody else can be here: an exclusive lock is held
};

class Accumulator {
 public:
  Accumulator(Control& control, int me) noexcept : control_(control), me_(me) {}

  // `result` may be null; with no_op `from` counts for nothing.
  Status run(const Layout* from, const Layout* result, const Layout& to, const Place& place,
             const Combination& how) noexcept;
  Status fetch(const void* from, void* result, std::byte* at, const Place& place,
               const Combination& how) noexcept;
  Status swap(const void* from, const void* compare, void* result, std::size_t bytes, std::byte* at,
              const Place& place) noexcept;

 private:
  struct Piece;
  Status run_arrays(const Layout* from, const Layout* result, const Layout& to, const Place& place,
                    const Combination& how) noexcept;
  Status run_layouts(const Layout* from, const Layout* result, const Layout& to, const Place& place,
                     const Combination& how) noexcept;
  Status piece(const Piece& piece, const Place& place, const Combination& how) noexcept;
  Status locked_piece(const Piece& piece, const Place& place, const Combination& how) noexcept;
  std::atomic<std::uint32_t>& stripe(const Place& place, const std::byte* at) const noexcept;

  Control& control_;
  int me_;
};

}  // namespace tessera::osc::sm
