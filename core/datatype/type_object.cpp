// SPDX-License-Identifier: BSD-3-Clause
// The engine's datatype.
#include "core/datatype/type_object.h"

#include <utility>

namespace tessera {

TypeObject::TypeObject(Kind handle, Kind kind, std::string name, Description description,
                       std::unique_ptr<Recipe> recipe)
    : handle_(handle),
      kind_(kind),
      description_(std::move(description)),
      recipe_(std::move(recipe)),
      name_(std::move(name)) {
  take_description();
  committed_ = predefined_ = true;
}

TypeObject::TypeObject(Description description, std::shared_ptr<const Recipe> recipe) noexcept
    : description_(std::move(description)), recipe_(std::move(recipe)) {
  take_description();
}

void TypeObject::take_description() noexcept {
  size_ = description_.bytes.bytes;
  lb_ = description_.bounds.lb();
  extent_ = description_.ub - lb_;
  true_lb_ = description_.bounds.low;
  true_extent_ = description_.bounds.high - description_.bounds.low;
  dense_ = description_.bytes.node == nullptr && description_.bytes.offset == 0 &&
           (extent_ == size_ || size_ == 0);
}

TypeObject* TypeObject::clone() const {
  auto* copy = new TypeObject(description_, recipe_);
  copy->committed_ = committed_;
  return copy;
}

void TypeObject::dispose() const noexcept {
  if (!predefined_) delete this;
}

}  // namespace tessera
