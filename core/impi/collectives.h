// SPDX-License-Identifier: BSD-3-Clause
// The collective operations of the protocol (chapter 4), packet by packet as it prescribes.
#pragma once
//
// Contract. The collectives of communicators that span systems; those within one system have the
// usual ones, and so have the local phases, on a hidden communicator of the local members. The
// protocol does not carry nonblocking and persistent forms, operations of later versions of MPI and
// intercommunicators: other components carry them out, where all systems are ours.
//
#include <memory>

#include "tessera/coll.h"

namespace tessera::impi {

class Systems;

std::unique_ptr<coll::Component> make_collectives(Systems& systems);

}  // namespace tessera::impi
