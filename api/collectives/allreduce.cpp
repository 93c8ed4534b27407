// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allreduce (MPI-5.0 §6.9.6, §6.12.8, §6.13.8).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int allreduce(const Form& form, const Reduction& data, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::allreduce, form, comm);
  const bool right = c.ready() && c.reduction(data, {true, true, !c.call().inter});
  return right ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Allreduce)
extern "C" int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm) {
  return allreduce("MPI_Allreduce", {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Allreduce_c)
extern "C" int PMPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return allreduce("MPI_Allreduce_c", {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iallreduce)
extern "C" int PMPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return allreduce({"MPI_Iallreduce", request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iallreduce_c)
extern "C" int PMPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 MPI_Request* request) {
  return allreduce({"MPI_Iallreduce_c", request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Allreduce_init)
extern "C" int PMPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                   MPI_Request* request) {
  return allreduce({"MPI_Allreduce_init", info, request}, {sendbuf, recvbuf, count, datatype, op},
                   comm);
}

TESSERA_WEAK_ALIAS(MPI_Allreduce_init_c)
extern "C" int PMPI_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                     MPI_Request* request) {
  return allreduce({"MPI_Allreduce_init_c", info, request}, {sendbuf, recvbuf, count, datatype, op},
                   comm);
}
