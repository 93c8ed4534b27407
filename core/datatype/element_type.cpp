// SPDX-License-Identifier: BSD-3-Clause
// A walk over the constructors of a type, down to the predefined ones.
#include "core/datatype/element_type.h"

#include "core/datatype/predefined.h"

namespace tessera {

const TypeObject* element_type(const TypeObject& type) noexcept {
  if (type.predefined()) return type.kind() != 0 ? &type : nullptr;
  if (const Kind kind = type.signature().kind; kind != 0) return predefined_type(kind);
  if (type.recipe() == nullptr) return nullptr;
  const TypeObject* common = nullptr;
  for (const TypeObject* part : type.recipe()->types()) {
    const TypeObject* const element = element_type(*part);
    if (element == nullptr && part->size() == 0) continue;  // a bound, or nothing
    if (element == nullptr || (common != nullptr && !same_elements(*common, *element)))
      return nullptr;
    common = element;
  }
  return common;
}

bool same_elements(const TypeObject& a, const TypeObject& b) noexcept {
  if (a.kind() == b.kind()) return true;
  const Basic* const first = find_basic(a.kind());
  const Basic* const second = find_basic(b.kind());
  return first != nullptr && second != nullptr && first->number == second->number &&
         first->group == second->group;
}

}  // namespace tessera
