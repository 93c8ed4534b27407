// SPDX-License-Identifier: BSD-3-Clause
// Largest and smallest.
#include "core/op/table.h"

namespace tessera::op {

Loop ordering_loop(Operation operation, Number number, Isa isa) noexcept {
  switch (operation) {
    case Operation::maximum:
      return loop_of<Maximum>(number, isa);
    case Operation::minimum:
      return loop_of<Minimum>(number, isa);
    default:
      return nullptr;
  }
}

}  // namespace tessera::op
