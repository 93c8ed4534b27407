// SPDX-License-Identifier: BSD-3-Clause
// How a datatype was made.
#include "core/datatype/recipe.h"

#include "core/datatype/type_object.h"

namespace tessera {

Recipe::~Recipe() {
  for (const TypeObject* type : types_) type->drop();
}

Recipe& Recipe::integer(int value) {
  integers_.push_back(value);
  return *this;
}

Recipe& Recipe::count(Count value) {
  if (form_ == RecipeForm::plain) return integer(static_cast<int>(value));
  counts_.push_back(value);
  return *this;
}

Recipe& Recipe::address(Count value) {
  if (form_ == RecipeForm::plain) {
    addresses_.push_back(value);
  } else {
    counts_.push_back(value);
  }
  return *this;
}

Recipe& Recipe::type(const TypeObject& type) {
  types_.push_back(&type);
  type.hold();
  return *this;
}

}  // namespace tessera
