// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce (MPI-5.0 §6.9.1, §6.12.7, §6.13.7).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int reduce(const Form& form, const Reduction& data, int root, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::reduce, form, comm);
  if (!c.ready() || !c.root(root)) return c.raised();
  const Part part{c.faces_root(), c.is_root(), c.is_root() && !c.call().inter};
  const bool right = (!part.sends && !part.receives) || c.reduction(data, part);
  return right ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Reduce)
extern "C" int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, int root, MPI_Comm comm) {
  return reduce("MPI_Reduce", {sendbuf, recvbuf, count, datatype, op}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_c)
extern "C" int PMPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                             MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return reduce("MPI_Reduce_c", {sendbuf, recvbuf, count, datatype, op}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ireduce)
extern "C" int PMPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                            MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return reduce({"MPI_Ireduce", request}, {sendbuf, recvbuf, count, datatype, op}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ireduce_c)
extern "C" int PMPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                              MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                              MPI_Request* request) {
  return reduce({"MPI_Ireduce_c", request}, {sendbuf, recvbuf, count, datatype, op}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_init)
extern "C" int PMPI_Reduce_init(const void* sendbuf, void* recvbuf, int count,
                                MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                MPI_Info info, MPI_Request* request) {
  return reduce({"MPI_Reduce_init", info, request}, {sendbuf, recvbuf, count, datatype, op}, root,
                comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_init_c)
extern "C" int PMPI_Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                  MPI_Info info, MPI_Request* request) {
  return reduce({"MPI_Reduce_init_c", info, request}, {sendbuf, recvbuf, count, datatype, op}, root,
                comm);
}
