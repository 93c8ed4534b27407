// SPDX-License-Identifier: BSD-3-Clause
// One line per function that is declared but not written yet.
#pragma once

#include "api/api.h"

namespace tessera::api {

// Reports MPI_ERR_UNSUPPORTED_OPERATION in the name of `function` and returns what the caller has
// to return.
[[gnu::cold]] int unsupported(const char* function) noexcept;

}  // namespace tessera::api

// A macro, since it defines two symbols out of a name.
#define TESSERA_UNSUPPORTED(name, parameters) \
  TESSERA_WEAK_ALIAS(name)                    \
  extern "C" int P##name parameters {         \
    return tessera::api::unsupported(#name);  \
  }
