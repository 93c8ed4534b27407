// SPDX-License-Identifier: BSD-3-Clause
// The predefined datatypes of the standard ABI.
#pragma once

#include <cstdint>

#include "core/datatype/type_object.h"

namespace tessera {

// MPI_BYTE, the type of the engine's own messages.
const Datatype& byte_type() noexcept;

// The type behind a predefined handle value (MPI_INT is 0x209), or null: no such value, or this compiler has no such type.
const TypeObject* predefined_type(std::uintptr_t handle) noexcept;

}  // namespace tessera
