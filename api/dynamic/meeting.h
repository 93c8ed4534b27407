// SPDX-License-Identifier: BSD-3-Clause
// What the functions of dynamic processes have in common (MPI-5.0 §11.7 to §11.10).
#pragma once

#include <string>

#include "api/comm/make.h"
#include "api/env/info_handle.h"
#include "core/dynamic/dynamic.h"

namespace tessera::api {

// An intracommunicator and a root in it, as the first questions of a collective call.
bool right_meeting(Arguments& arguments, int root) noexcept;

// The value of an info key, or an empty text.
std::string info_value(MPI_Info info, const char* key);

// A failure of the core under an error class of this chapter; what the caller gave wrong keeps its
// own, and so does the death of a process of `comm`.
int raise_meeting(const Arguments& arguments, const Comm& comm, int error_class,
                  const Status& failure) noexcept;

}  // namespace tessera::api
