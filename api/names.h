// SPDX-License-Identifier: BSD-3-Clause
// Names of objects at the user's side: at most MPI_MAX_OBJECT_NAME - 1 characters, the rest is cut
// off.
#pragma once

#include <cstring>
#include <string>

#include "api/api.h"

namespace tessera::api {

inline std::string name_from(const char* text) {
  return std::string(text, ::strnlen(text, MPI_MAX_OBJECT_NAME - 1));
}

inline void store_name(const std::string& name, char* text, int* length) noexcept {
  std::memcpy(text, name.c_str(), name.size() + 1);
  *length = static_cast<int>(name.size());
}

}  // namespace tessera::api
