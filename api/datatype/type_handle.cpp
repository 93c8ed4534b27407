// SPDX-License-Identifier: BSD-3-Clause
// Handles of datatypes.
#include "api/datatype/type_handle.h"

#include <fmt/format.h>

#include "api/errors/error.h"

namespace tessera::api {

int raise_not_type(const char* function, MPI_Datatype handle, const char* name) noexcept {
  if (!world.active()) return raise_not_active(function);
  return raise(
      function, MPI_ERR_TYPE,
      fmt::format("argument `{}` is no datatype: {}; it must be a predefined one or from a "
                  "function that makes types",
                  name, why_none(handle, ObjectKind::datatype)));
}

}  // namespace tessera::api
