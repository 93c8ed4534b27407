// SPDX-License-Identifier: BSD-3-Clause
// The engine's datatype.
#pragma once
//
// Contract. A TypeObject is complete and fixed when its constructor function
// (make.h) returns it; MPI_Type_commit only permits its use in communication.
// It holds the types it was made of (its recipe), the normal form of its
// layout, its bounds and its signature. The name and the attributes are the
// user's; whoever changes them is under the engine's lock.
//
#include <memory>
#include <string>

#include "core/datatype/bounds.h"
#include "core/datatype/node.h"
#include "core/datatype/recipe.h"
#include "core/datatype/signature.h"
#include "core/object/attributes.h"
#include "core/object/freed_objects.h"

namespace tessera {

class TypeObject final : public Datatype {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::datatype); }
  // What a type is, apart from its identity. Shared by its duplicates.
  struct Description {
    Piece bytes;     // the layout
    Piece elements;  // the layout with kinds kept apart; the same where there is
                     // only one kind
    Bounds bounds;
    Signature signature;
    Aint ub = 0;
  };

  // A predefined type: `kind` selects reductions, `handle` is its value in the
  // ABI or 0.
  TypeObject(Kind handle, Kind kind, std::string name, Description description,
             std::unique_ptr<Recipe> recipe);
  // A derived type.
  TypeObject(Description description, std::shared_ptr<const Recipe> recipe) noexcept;

  // A new object, equal but for name and attributes, which it lacks; one
  // reference for the caller.
  TypeObject* clone() const;
  void commit() noexcept {
    committed_ = true;
    usable_counts_ = static_cast<std::uint64_t>(most_) + 1;
  }

  // So many elements have sizes and places that 64 bits can tell.
  Count most() const noexcept { return most_; }
  // One more than most() when the type is committed, else 0: whether a count, taken as unsigned, is
  // below says all there is to say about both.
  std::uint64_t usable_counts() const noexcept { return usable_counts_; }

  Kind handle() const noexcept { return handle_; }  // 0 unless predefined with a name
  // The basic datatype or pair that a predefined type is; 0 for derived types.
  Kind kind() const noexcept { return kind_; }
  const Piece& layout() const noexcept { return description_.bytes; }
  const Piece& element_layout() const noexcept { return description_.elements; }
  const Bounds& bounds() const noexcept { return description_.bounds; }
  const Signature& signature() const noexcept { return description_.signature; }
  const Description& description() const noexcept { return description_; }
  Aint ub() const noexcept { return description_.ub; }
  // Null for types with a name: MPI_COMBINER_NAMED.
  const Recipe* recipe() const noexcept { return recipe_.get(); }

  const char* name() const noexcept { return name_.c_str(); }  // empty if there is none
  void set_name(std::string name) { name_ = std::move(name); }
  AttributeSet& attributes() noexcept { return attributes_; }

 protected:
  void dispose() const noexcept override;

 private:
  ~TypeObject() override = default;
  void take_description() noexcept;
  Count measure() const noexcept;

  std::uint64_t usable_counts_ = 0;
  Count most_ = 0;
  Kind handle_ = 0;
  Kind kind_ = 0;
  Description description_;
  std::shared_ptr<const Recipe> recipe_;
  std::string name_;
  AttributeSet attributes_;
};

// The value by which users know a type: that of the ABI, or the object's
// address (MPI-5.0 §20.3.3).
inline std::uintptr_t handle_value(const TypeObject& type) noexcept {
  if (type.handle() != 0) return type.handle();
  return reinterpret_cast<std::uintptr_t>(static_cast<const Object*>(&type));
}

// A type that the engine has made.
inline const TypeObject& as_object(const Datatype& type) noexcept {
  return static_cast<const TypeObject&>(type);
}

}  // namespace tessera
