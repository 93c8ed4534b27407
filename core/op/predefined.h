// SPDX-License-Identifier: BSD-3-Clause
// The predefined reduction operations of the standard ABI.
#pragma once

#include <cstdint>

#include "tessera/data.h"

namespace tessera {

// The operation behind a predefined handle value (MPI_SUM is 0x21), or null.
// MPI_REPLACE and MPI_NO_OP take any type.
const Op* predefined_op(std::uintptr_t handle) noexcept;

}  // namespace tessera
