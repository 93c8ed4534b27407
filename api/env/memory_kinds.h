// SPDX-License-Identifier: BSD-3-Clause
// Kinds of memory that buffers may be in (MPI-5.0 §11.4.3).
#pragma once

#include <string>
#include <string_view>

#include "core/object/info.h"

namespace tessera::api {

// The info keys: what the library supports (answered, never taken), and what the program promises
// to use with one object.
inline constexpr const char* kMemoryKindsKey = "mpi_memory_alloc_kinds";
inline constexpr const char* kMemoryKindsPromiseKey = "mpi_assert_memory_alloc_kinds";

inline constexpr std::string_view kMemoryKinds = "mpi,system";

// Those of a promise ("system,mpi:alloc_mem,cuda:device") that the library supports, in the same
// form and order.
std::string supported_memory_kinds(std::string_view promised);

// Sets kMemoryKindsKey of an answer that has all other hints of an object: what is supported of the
// promise in it, or everything where there is none.
void answer_memory_kinds(Info& info);

}  // namespace tessera::api
