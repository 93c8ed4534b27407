// SPDX-License-Identifier: BSD-3-Clause
// Checking the arguments of functions on datatypes.
#include "api/datatype/arguments.h"

#include <fmt/format.h>

namespace tessera::api {

bool TypeArguments::old_type(MPI_Datatype handle, const char* name) noexcept {
  old_ = find_type(handle);
  return old_ != nullptr || type(nullptr, name);
}

bool TypeArguments::array(const void* array, Count n, const char* name) noexcept {
  return array != nullptr || n <= 0 ||
         fail(MPI_ERR_ARG,
              fmt::format("argument `{}` is a null pointer; it must be an array of {} elements",
                          name, n));
}

int TypeArguments::conclude(Result<TypeObject*> made, MPI_Datatype* newtype) noexcept {
  if (!made.ok()) return raised(made.status());
  *newtype = handle_of(**made);
  return MPI_SUCCESS;
}

}  // namespace tessera::api
