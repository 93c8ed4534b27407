// SPDX-License-Identifier: BSD-3-Clause
// Up to how much data an operation is carried out here: Limits.
#pragma once
//
// Contract. The amount is the bytes of the vector in bcast and reductions, of one block elsewhere. Small data is fastest
// through the board. For more, where every process has a processor, a direct copy between two address spaces saves one of
// the board's two copies; where they take turns, the board saves turns. A parameter replaces the rule.
//
#include <array>

#include "tessera/coll.h"

namespace tessera::coll::sm {

class Limits {
 public:
  Limits(const Params& params, const Job& job);  // may throw std::bad_alloc
  // Rests only on what is equal on all processes of the call.
  bool admit(const Call& call) const noexcept;

 private:
  std::array<Count, kOperations> most_{};  // bytes
};

}  // namespace tessera::coll::sm
