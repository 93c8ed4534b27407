// SPDX-License-Identifier: BSD-3-Clause
// The error handler that a process begins with (MPI-5.0 §9.3).
#pragma once
//
// MPI_COMM_WORLD, MPI_COMM_SELF and the communicator of MPI_Comm_get_parent have it at first, and
// calls before MPI_Init and after MPI_Finalize are subject to it. The info key
// mpi_initial_errhandler of a spawn sets the variable for children; so may who starts a process.
//
#include <string_view>

#include "core/object/errhandler.h"
#include "tessera/status.h"

namespace tessera {

inline constexpr const char* kInitialErrhandler = "TESSERA_INITIAL_ERRHANDLER";

// mpi_errors_are_fatal, mpi_errors_abort and mpi_errors_return, in any case. argument: it is none
// of them; the text begins with `what`.
Result<Errhandler::Action> handler_named(std::string_view what, std::string_view name) noexcept;

// What the variable says; fatal, where it says nothing or what check_initial_errhandler() refuses.
Errhandler::Action initial_errhandler() noexcept;
Status check_initial_errhandler() noexcept;

}  // namespace tessera
