// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Errhandler to Errhandler and back.
#pragma once

#include "api/handle.h"
#include "core/object/errhandler.h"

namespace tessera::api {

// The handler of a handle, predefined or not; null for MPI_ERRHANDLER_NULL and for what is none.
Errhandler* find_errhandler(MPI_Errhandler handle) noexcept;

// The handle; predefined handlers have theirs, whichever object stands for them.
MPI_Errhandler handle_of(Errhandler& handler) noexcept;

}  // namespace tessera::api
