// SPDX-License-Identifier: BSD-3-Clause
// What MPI_Alltoallv, MPI_Alltoallw and MPIX_Alltoallx have in common: a part for each process,
// both ways.
#pragma once

#include "api/collectives/collective.h"

namespace tessera::api {

// Sides is Parts or TypedParts.
template <class Sides>
int exchange(coll::Operation operation, const Form& form, const Sides& in, const Sides& out,
             MPI_Comm comm) noexcept {
  Collective c(operation, form, comm);
  const int n = c.call().remote_size;
  const bool right = c.ready() && c.in_place(in.buffer, !c.call().inter, kSendNames) &&
                     (c.is_in_place() || c.send(in, n)) && c.receive(out, n);
  return right ? c.run() : c.raised();
}

}  // namespace tessera::api
