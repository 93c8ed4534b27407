// SPDX-License-Identifier: BSD-3-Clause
// Sums and products.
#include "core/op/table.h"

namespace tessera::op {

Loop arithmetic_loop(Operation operation, Number number, Isa isa) noexcept {
  switch (operation) {
    case Operation::sum:
      return loop_of<Sum>(number, isa);
    case Operation::product:
      return loop_of<Product>(number, isa);
    default:
      return nullptr;
  }
}

}  // namespace tessera::op
