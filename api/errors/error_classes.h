// SPDX-License-Identifier: BSD-3-Clause
// Names and meanings of the predefined error classes.
#pragma once

namespace tessera::api {

struct ErrorClass {
  int value;
  const char* name;     // "MPI_ERR_TAG"
  const char* meaning;  // one sentence without a full stop
};

// The class or tool-interface code of this value; null if MPI defines none.
const ErrorClass* find_error_class(int value) noexcept;

}  // namespace tessera::api
