// SPDX-License-Identifier: BSD-3-Clause
// What a function does that is not written yet.
#include "api/unsupported/unsupported.h"

#include <string_view>

#include "api/errors/error.h"

namespace tessera::api {

int unsupported(const char* function) noexcept {
  constexpr std::string_view text = "this library does not offer this function yet";
  const std::string_view name = function;
  // Functions on files use the handler of files.
  if (name.starts_with("MPI_File_")) {
    return raise(function, object_of(MPI_FILE_NULL), MPI_ERR_UNSUPPORTED_OPERATION, text);
  }
  return raise(function, MPI_ERR_UNSUPPORTED_OPERATION, text);
}

}  // namespace tessera::api
