// SPDX-License-Identifier: BSD-3-Clause
// From a communicator that the core made to the user's handle.
#pragma once

#include "api/arguments.h"
#include "api/p2p/blocking_call.h"
#include "core/comm/hints.h"

namespace tessera::api {

// Ends a function that makes a communicator: the error, MPI_COMM_NULL for no communicator, or a
// handle whose object has inherited the error handler of `parent` (MPI-5.0 §9.3).
int conclude(const Arguments& arguments, const Comm& parent, Result<Comm*> made,
             MPI_Comm* newcomm) noexcept;

// The pairs of an info object as hints of a communicator; none for MPI_INFO_NULL.
std::map<std::string, std::string, std::less<>> hints_of(MPI_Info info);

// The same, checked (core/comm/hints.h) for a communicator made from `comm`, or with `own` for that
// one itself. On failure the arguments know why.
bool take_hints(Arguments& arguments, MPI_Info info, bool own, Hints& hints);

// MPI_INFO_NULL or an info object.
bool right_info(Arguments& arguments, MPI_Info info) noexcept;

}  // namespace tessera::api
