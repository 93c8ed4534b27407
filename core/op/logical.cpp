// SPDX-License-Identifier: BSD-3-Clause
// Operations on truth values.
#include "core/op/table.h"

namespace tessera::op {

Loop logical_loop(Operation operation, Number number, Isa isa) noexcept {
  switch (operation) {
    case Operation::logical_and:
      return loop_of<LogicalAnd>(number, isa);
    case Operation::logical_or:
      return loop_of<LogicalOr>(number, isa);
    case Operation::logical_xor:
      return loop_of<LogicalXor>(number, isa);
    default:
      return nullptr;
  }
}

}  // namespace tessera::op
