// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Datatype to TypeObject and back.
#pragma once

#include "api/handle.h"
#include "core/datatype/predefined.h"

namespace tessera::api {

// The type of a handle; null for MPI_DATATYPE_NULL and for what is no type.
inline TypeObject* find_type(MPI_Datatype handle) noexcept {
  if (is_predefined(handle)) [[likely]]
    return const_cast<TypeObject*>(predefined_type(number_of(handle)));
  return find_object_always<TypeObject, ObjectKind::datatype>(handle);
}

// Predefined types with a name have their numbers.
inline MPI_Datatype handle_of(const TypeObject& type) noexcept {
  return reinterpret_cast<MPI_Datatype>(handle_value(type));
}

// What a function does to which find_type() said no.
[[gnu::cold]] int raise_not_type(const char* function, MPI_Datatype handle,
                                 const char* name = "datatype") noexcept;

}  // namespace tessera::api
