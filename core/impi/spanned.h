// SPDX-License-Identifier: BSD-3-Clause
// What communicators that span MPI systems cannot have.
#pragma once

#include "core/comm/communicator.h"
#include "core/datatype/packed.h"

namespace tessera::impi {

class Systems;

// The systems over which the processes of a communicator are spread, or null: they are of one.
Systems* spanned_by(const Comm& comm) noexcept;
// The form of packed data that goes to a process, and that MPI_Pack gives on a communicator.
PackedForm packed_form(const Comm& comm, const Peer& peer) noexcept;
PackedForm packed_form(const Comm& comm) noexcept;
// unsupported, naming `what` ("windows"), where the communicator spans systems.
Status within_one_system(const Comm& comm, const char* what) noexcept;

}  // namespace tessera::impi
