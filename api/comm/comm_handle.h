// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Comm to Comm and back.
#pragma once

#include "api/env/world.h"
#include "api/handle.h"

namespace tessera::api {

// The communicator of a handle; null for MPI_COMM_NULL, for what is no communicator, and for the
// predefined ones outside MPI_Init to MPI_Finalize.
inline Comm* find_comm(MPI_Comm handle) noexcept {
  if (handle == MPI_COMM_WORLD) return world.comm_world;
  if (handle == MPI_COMM_SELF) return world.comm_self;
  return find_object<Comm, ObjectKind::communicator>(handle);
}

inline MPI_Comm handle_of(Comm& comm) noexcept {
  if (&comm == world.comm_world) return MPI_COMM_WORLD;
  if (&comm == world.comm_self) return MPI_COMM_SELF;
  return handle_of<MPI_Comm>(&comm);
}

// Stands in where a function has no communicator: MPI_COMM_SELF, or one like it where there are
// only sessions; no communicator while MPI is not active.
inline MPI_Comm no_comm() noexcept {
  return world.running() ? MPI_COMM_SELF : handle_of<MPI_Comm>(world.own);
}

// What a function does to which find_comm() said no: reports why (null, not a communicator, not the
// time for it).
[[gnu::cold]] int raise_not_comm(const char* function, MPI_Comm handle) noexcept;

}  // namespace tessera::api
