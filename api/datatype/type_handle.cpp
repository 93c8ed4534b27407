// SPDX-License-Identifier: BSD-3-Clause
// Handles of datatypes.
#include "api/datatype/type_handle.h"

#include <fmt/format.h>

#include "api/errors/error.h"

namespace tessera::api {

int raise_not_type(const char* function, MPI_Datatype handle, const char* name) noexcept {
  return raise(function, MPI_ERR_TYPE,
               handle == MPI_DATATYPE_NULL
                   ? fmt::format("argument `{}` is MPI_DATATYPE_NULL; it must be a datatype", name)
                   : fmt::format("argument `{}` is no datatype, or one that was freed", name));
}

}  // namespace tessera::api
