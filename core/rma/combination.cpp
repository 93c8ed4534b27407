// SPDX-License-Identifier: BSD-3-Clause
// Combinations, and their numbers on the wire: handle values of the ABI and kinds.
#include "core/rma/combination.h"

#include <mpi.h>

#include "core/datatype/predefined.h"
#include "core/op/predefined.h"

namespace tessera {
namespace {

const Op* no_op() noexcept {
  return predefined_op(reinterpret_cast<std::uintptr_t>(MPI_NO_OP));
}
const Op* replace() noexcept {
  return predefined_op(reinterpret_cast<std::uintptr_t>(MPI_REPLACE));
}

}  // namespace

osc::Combination combination_of(const Op& op, std::uint16_t op_number, const TypeObject& element) {
  using Effect = osc::Combination::Kind;
  osc::Combination how{};
  how.kind = &op == replace() ? Effect::replace : &op == no_op() ? Effect::no_op : Effect::reduce;
  if (how.kind == Effect::reduce) how.operation = *operation_of(op);
  const Basic* basic = find_basic(element.kind());
  how.number = basic != nullptr ? basic->number : Number::none;
  how.op = &op;
  how.element = &element;
  how.op_number = op_number;
  how.element_number = element.kind();
  return how;
}

namespace osc {

bool find_combination(std::uint16_t op_number, std::uint16_t element_number,
                      Combination& how) noexcept {
  const Op* const op = predefined_op(op_number);
  const TypeObject* const element = predefined_type(element_number);
  if (op == nullptr || element == nullptr) return false;
  how = combination_of(*op, op_number, *element);
  return how.kind != Combination::Kind::reduce || op->accepts(*element);
}

}  // namespace osc

}  // namespace tessera
