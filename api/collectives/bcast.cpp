// SPDX-License-Identifier: BSD-3-Clause
// MPI_Bcast (MPI-5.0 §6.4, §6.12.2, §6.13.2).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int bcast(const Form& form, const Data& data, int root, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::bcast, form, comm);
  const bool right = c.ready() && c.root(root) && c.in_place(data.buffer, false, kBcastNames) &&
                     ((!c.is_root() && !c.faces_root()) || c.receive(data, kBcastNames));
  return right ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Bcast)
extern "C" int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return bcast("MPI_Bcast", {buffer, count, datatype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Bcast_c)
extern "C" int PMPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                            MPI_Comm comm) {
  return bcast("MPI_Bcast_c", {buffer, count, datatype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ibcast)
extern "C" int PMPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                           MPI_Request* request) {
  return bcast({"MPI_Ibcast", request}, {buffer, count, datatype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ibcast_c)
extern "C" int PMPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                             MPI_Comm comm, MPI_Request* request) {
  return bcast({"MPI_Ibcast_c", request}, {buffer, count, datatype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Bcast_init)
extern "C" int PMPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root,
                               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return bcast({"MPI_Bcast_init", info, request}, {buffer, count, datatype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Bcast_init_c)
extern "C" int PMPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return bcast({"MPI_Bcast_init_c", info, request}, {buffer, count, datatype}, root, comm);
}
