// SPDX-License-Identifier: BSD-3-Clause
// Info keys of windows. Source: MPI-5.0 §12.2.1-12.2.4.
#pragma once

#include "core/rma/window.h"

namespace tessera {

inline constexpr const char* kMemoryKindsPromise = "mpi_assert_memory_alloc_kinds";

// What modules act upon. Values that cannot be understood leave the default.
osc::Hints module_hints(const WindowHints& given);
// Every key that is supported, with its value in effect; keys nobody knows are left out.
WindowHints hints_in_effect(osc::Flavor flavor, const WindowHints& given);
// Of the values that must be equal at all processes.
std::uint64_t hash_of_equal_hints(const WindowHints& given);

}  // namespace tessera
