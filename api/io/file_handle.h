// SPDX-License-Identifier: BSD-3-Clause
// From MPI_File to File and back.
#pragma once

#include "api/env/world.h"
#include "api/handle.h"
#include "core/io/file.h"

namespace tessera::api {

// The file of a handle; null for MPI_FILE_NULL and for what is no open file.
inline io::File* find_file(MPI_File handle) noexcept {
  return find_object<io::File, ObjectKind::file>(handle);
}

}  // namespace tessera::api
