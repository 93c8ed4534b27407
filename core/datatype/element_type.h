// SPDX-License-Identifier: BSD-3-Clause
// The one predefined type that a datatype is made of, as accumulates need it (MPI-5.0 §12.3.4).
#pragma once

#include "core/datatype/type_object.h"

namespace tessera {

// The type itself if it is predefined; null where several kinds are mixed, or where there is none.
const TypeObject* element_type(const TypeObject& type) noexcept;

// Whether elements of both are the same to arithmetic: MPI_INT and MPI_INT32_T are.
bool same_elements(const TypeObject& a, const TypeObject& b) noexcept;

}  // namespace tessera
