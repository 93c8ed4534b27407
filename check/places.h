// SPDX-License-Identifier: BSD-3-Clause
// Places in the program as people know them.
#pragma once

#include <string>

#include "check/call.h"

namespace tessera::check {

// The caller of a function of MPI, given its return address: the same, or where the Fortran library
// lies between, the place in the program that called that one.
const void* program_place(const void* caller) noexcept;

// "heat.c:81 (exchange)", given a return address. Asks addr2line, the first time of a place.
std::string text_at(const void* caller);
// "MPI_Isend at heat.c:81 (exchange)".
std::string text_of(const Site& site);

}  // namespace tessera::check
