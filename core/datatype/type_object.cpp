// SPDX-License-Identifier: BSD-3-Clause
// The engine's datatype.
#include "core/datatype/type_object.h"

#include <algorithm>
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
  predefined_ = true;
  commit();
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
  contiguous_ = description_.bytes.node == nullptr && description_.bytes.offset == 0 &&
                (extent_ == size_ || size_ == 0);
  most_ = measure();
}

// Half of the range is left for where the first element begins and the last one ends.
Count TypeObject::measure() const noexcept {
  constexpr std::uint64_t kRange = std::uint64_t{1} << 62;
  const auto length = [](Aint value) {
    return value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  };
  const std::uint64_t step =
      std::max({length(size_), length(extent_), length(true_extent_), std::uint64_t{1}});
  return static_cast<Count>(kRange / step);
}

TypeObject* TypeObject::clone() const {
  auto* copy = new TypeObject(description_, recipe_);
  if (committed_) copy->commit();
  return copy;
}

void TypeObject::dispose() const noexcept {
  if (!predefined_) delete this;
}

}  // namespace tessera
