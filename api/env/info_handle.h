// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Info to Info and back.
#pragma once

#include "api/api.h"
#include "core/object/info.h"

namespace tessera::api {

// The object of a handle, MPI_INFO_ENV included; null for MPI_INFO_NULL and for handles that are
// none.
const Info* find_info(MPI_Info handle) noexcept;
// The same for changing it: null for MPI_INFO_ENV as well, which nobody may change.
Info* find_own_info(MPI_Info handle) noexcept;

}  // namespace tessera::api
