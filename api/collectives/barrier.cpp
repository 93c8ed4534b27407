// SPDX-License-Identifier: BSD-3-Clause
// MPI_Barrier (MPI-5.0 §6.3, §6.12.1, §6.13.1).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int barrier(const Form& form, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::barrier, form, comm);
  return c.ready() ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Barrier)
extern "C" int PMPI_Barrier(MPI_Comm comm) {
  return barrier("MPI_Barrier", comm);
}

TESSERA_WEAK_ALIAS(MPI_Ibarrier)
extern "C" int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return barrier({"MPI_Ibarrier", request}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Barrier_init)
extern "C" int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return barrier({"MPI_Barrier_init", info, request}, comm);
}
