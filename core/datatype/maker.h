// SPDX-License-Identifier: BSD-3-Clause
// Putting a datatype together from copies of others.
#pragma once

#include <vector>

#include "core/datatype/make.h"

namespace tessera {

class Maker {
 public:
  // `several_kinds`: whether the types placed are, or may be, of more than one
  // basic datatype.
  explicit Maker(bool several_kinds) noexcept : several_kinds_(several_kinds) {}
  explicit Maker(const TypeObject& old) noexcept : Maker(old.signature().kind == 0) {}

  // Blocks of `length` copies one extent apart; `count` of these `stride` bytes
  // apart, the first at `displacement`.
  void place(const TypeObject& type, Checked displacement, Count length, Count count = 1,
             Checked stride = 0);
  // Replaces all markers.
  void bound(Checked lb, Checked extent) noexcept;

  // One reference for the caller. `recipe` may be null for a type that serves
  // as a part only.
  Result<TypeObject*> finish(std::shared_ptr<const Recipe> recipe);
  Result<TypeObject*> finish(Recipe&& recipe) {
    return finish(std::make_shared<const Recipe>(std::move(recipe)));
  }

 private:
  void add(const TypeObject& type, Aint displacement, Count length, Count count, Aint stride);

  bool several_kinds_;
  bool too_large_ = false;  // a size
  bool too_far_ = false;    // a bound
  Count size_ = 0;
  Bounds bounds_;
  Signature signature_;
  std::vector<Piece> bytes_;
  std::vector<Piece> elements_;
};

}  // namespace tessera
