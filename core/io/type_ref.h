// SPDX-License-Identifier: BSD-3-Clause
// A datatype kept in use.
#pragma once

#include <utility>

#include "core/datatype/type_object.h"

namespace tessera::io {

class TypeRef {
 public:
  TypeRef() noexcept = default;
  explicit TypeRef(const TypeObject& type) noexcept : type_(&type) { type.hold(); }
  // Takes over the reference that a new type comes with.
  static TypeRef take(const TypeObject* type) noexcept {
    TypeRef reference;
    reference.type_ = type;
    return reference;
  }
  TypeRef(const TypeRef& other) noexcept : type_(other.type_) {
    if (type_ != nullptr) type_->hold();
  }
  TypeRef(TypeRef&& other) noexcept : type_(std::exchange(other.type_, nullptr)) {}
  TypeRef& operator=(TypeRef other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~TypeRef() {
    if (type_ != nullptr) type_->drop();
  }
  const TypeObject& operator*() const noexcept { return *type_; }
  const TypeObject* operator->() const noexcept { return type_; }
  explicit operator bool() const noexcept { return type_ != nullptr; }

 private:
  const TypeObject* type_ = nullptr;
};

}  // namespace tessera::io
