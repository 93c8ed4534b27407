// SPDX-License-Identifier: BSD-3-Clause
// The predefined datatypes of the standard ABI.
#pragma once

#include <cstdint>

#include "core/datatype/type_object.h"

namespace tessera {

struct PredefinedTypes {
  static constexpr std::uintptr_t kFirst = 0x200;  // handle values of datatypes (MPI-5.0 table A.2)
  static constexpr std::uintptr_t kCount = 0x100;
  const TypeObject* by_value[kCount];
};
// The table is filled while the library is loaded, and constant from then on. A pointer to it,
// since a program that uses the table itself would get a copy of it from before.
extern const PredefinedTypes* const predefined_types;

// MPI_BYTE, the type of the engine's own messages.
const Datatype& byte_type() noexcept;

// The type behind a predefined handle value (MPI_INT is 0x209), or null: no
// such value, or this compiler has no such type.
inline const TypeObject* predefined_type(std::uintptr_t handle) noexcept {
  const std::uintptr_t index = handle - PredefinedTypes::kFirst;
  return index < PredefinedTypes::kCount ? predefined_types->by_value[index] : nullptr;
}

// The predefined pair of a value and an index for MPI_MINLOC and MPI_MAXLOC, or
// null (MPI-5.0 §6.9.4). Some have no handle value: their handle is the
// object's.
const TypeObject* value_index_type(const TypeObject& value, const TypeObject& index) noexcept;

// The types of MPI_Type_create_f90_*, made on first use and kept: the same
// arguments give the same object. `equal` is the predefined type that it stands
// for.
const TypeObject* f90_type(Combiner combiner, int precision, int range, const TypeObject& equal);

}  // namespace tessera
