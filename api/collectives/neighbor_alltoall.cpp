// SPDX-License-Identifier: BSD-3-Clause
// MPI_Neighbor_alltoall (MPI-5.0 §8.6.2, §8.7.2, §8.8.2).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int neighbor_alltoall(const Form& form, const Data& in, const Data& out, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::neighbor_alltoall, form, comm);
  const bool right = c.ready() && c.neighbourhood() && c.in_place(in.buffer, false, kSendNames) &&
                     c.send(in) && c.receive(out);
  return right ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoall)
extern "C" int PMPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm) {
  return neighbor_alltoall("MPI_Neighbor_alltoall", {sendbuf, sendcount, sendtype},
                           {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoall_c)
extern "C" int PMPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                        MPI_Datatype recvtype, MPI_Comm comm) {
  return neighbor_alltoall("MPI_Neighbor_alltoall_c", {sendbuf, sendcount, sendtype},
                           {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_alltoall)
extern "C" int PMPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm, MPI_Request* request) {
  return neighbor_alltoall({"MPI_Ineighbor_alltoall", request}, {sendbuf, sendcount, sendtype},
                           {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_alltoall_c)
extern "C" int PMPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype recvtype, MPI_Comm comm,
                                         MPI_Request* request) {
  return neighbor_alltoall({"MPI_Ineighbor_alltoall_c", request}, {sendbuf, sendcount, sendtype},
                           {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoall_init)
extern "C" int PMPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                           MPI_Request* request) {
  return neighbor_alltoall({"MPI_Neighbor_alltoall_init", info, request},
                           {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoall_init_c)
extern "C" int PMPI_Neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount,
                                             MPI_Datatype sendtype, void* recvbuf,
                                             MPI_Count recvcount, MPI_Datatype recvtype,
                                             MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return neighbor_alltoall({"MPI_Neighbor_alltoall_init_c", info, request},
                           {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, comm);
}
