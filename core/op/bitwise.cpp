// SPDX-License-Identifier: BSD-3-Clause
// Operations on bits.
#include "core/op/table.h"

namespace tessera::op {

Loop bitwise_loop(Operation operation, Number number, Isa isa) noexcept {
  switch (operation) {
    case Operation::bit_and:
      return loop_of<BitAnd>(number, isa);
    case Operation::bit_or:
      return loop_of<BitOr>(number, isa);
    case Operation::bit_xor:
      return loop_of<BitXor>(number, isa);
    default:
      return nullptr;
  }
}

}  // namespace tessera::op
