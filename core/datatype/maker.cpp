// SPDX-License-Identifier: BSD-3-Clause
// Putting a datatype together.
#include "core/datatype/maker.h"

#include <algorithm>

namespace tessera {
namespace {

// The lowest and the highest of 0 and `reach`.
Checked lowest(Checked reach) noexcept {
  return reach.ok() && reach.value() > 0 ? Checked(0) : reach;
}
Checked highest(Checked reach) noexcept {
  return reach.ok() && reach.value() < 0 ? Checked(0) : reach;
}

Piece placed(const Piece& part, Aint extent, Aint displacement, Count length, Count count,
             Aint stride) {
  Piece piece = repeat(repeat(part, length, extent), count, stride);
  piece.offset += displacement;
  return piece;
}

}  // namespace

void Maker::place(const TypeObject& type, Checked displacement, Count length, Count count,
                  Checked stride) {
  if (length == 0 || count == 0) return;
  const Checked along = Checked(length - 1) * type.extent();
  const Checked across = Checked(count - 1) * stride;
  const Checked first = displacement + lowest(along) + lowest(across);
  const Checked last = displacement + highest(along) + highest(across);
  const Checked size = Checked(size_) + Checked(length) * count * type.size();
  if (!size.ok()) {
    too_large_ = true;
  } else if (!first.ok() || !last.ok() || !bounds_.include(type.bounds(), first, last)) {
    too_far_ = true;
  } else {
    size_ = size.value();
    add(type, displacement.value(), length, count, count > 1 ? stride.value() : 0);
  }
}

void Maker::add(const TypeObject& type, Aint displacement, Count length, Count count, Aint stride) {
  if (type.size() == 0) return;
  signature_ = signature_ + type.signature().times(length * count);
  bytes_.push_back(placed(type.layout(), type.extent(), displacement, length, count, stride));
  if (several_kinds_) {
    elements_.push_back(
        placed(type.element_layout(), type.extent(), displacement, length, count, stride));
  }
}

void Maker::bound(Checked lb, Checked extent) noexcept {
  const Checked ub = lb + extent;
  if (!lb.ok() || !ub.ok()) {
    too_far_ = true;
    return;
  }
  bounds_.lower_marker = bounds_.upper_marker = true;
  bounds_.lower = lb.value();
  bounds_.upper = ub.value();
}

Result<TypeObject*> Maker::finish(std::shared_ptr<const Recipe> recipe) {
  if (too_large_) {
    return Status::failure(Errc::argument,
                           "the size of the new datatype exceeds the largest "
                           "possible, 2^63 - 1 bytes");
  }
  const Checked ub = bounds_.ub();
  if (too_far_ || !ub.ok() || !(ub - bounds_.lb()).ok() ||
      !(Checked(bounds_.high) - bounds_.low).ok()) {
    return Status::failure(Errc::argument,
                           "a bound or the extent of the new datatype lies "
                           "outside of -2^63 .. 2^63 - 1 bytes");
  }
  TypeObject::Description description;
  description.bytes = sequence(std::move(bytes_), Merging::any_kind);
  description.elements =
      several_kinds_ ? sequence(std::move(elements_), Merging::same_kind) : description.bytes;
  description.bounds = bounds_;
  description.signature = signature_;
  description.ub = ub.value();
  return new TypeObject(std::move(description), std::move(recipe));
}

}  // namespace tessera
