// SPDX-License-Identifier: BSD-3-Clause
// MPI_Neighbor_allgather and MPI_Neighbor_allgatherv (MPI-5.0 §8.6.1, §8.7.1, §8.8.1).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int neighbor_allgather(const Form& form, const Data& in, const Data& out, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::neighbor_allgather, form, comm);
  const bool right = c.ready() && c.neighbourhood() && c.in_place(in.buffer, false, kSendNames) &&
                     c.send(in) && c.receive(out);
  return right ? c.run() : c.raised();
}

int neighbor_allgatherv(const Form& form, const Data& in, const Parts& out,
                        MPI_Comm comm) noexcept {
  Collective c(coll::Operation::neighbor_allgatherv, form, comm);
  const bool right = c.ready() && c.neighbourhood() && c.in_place(in.buffer, false, kSendNames) &&
                     c.send(in) && c.receive(out, c.sources());
  return right ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Neighbor_allgather)
extern "C" int PMPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm) {
  return neighbor_allgather("MPI_Neighbor_allgather", {sendbuf, sendcount, sendtype},
                            {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_allgather_c)
extern "C" int PMPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype recvtype, MPI_Comm comm) {
  return neighbor_allgather("MPI_Neighbor_allgather_c", {sendbuf, sendcount, sendtype},
                            {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_allgather)
extern "C" int PMPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                        MPI_Comm comm, MPI_Request* request) {
  return neighbor_allgather({"MPI_Ineighbor_allgather", request}, {sendbuf, sendcount, sendtype},
                            {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_allgather_c)
extern "C" int PMPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount,
                                          MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                          MPI_Datatype recvtype, MPI_Comm comm,
                                          MPI_Request* request) {
  return neighbor_allgather({"MPI_Ineighbor_allgather_c", request}, {sendbuf, sendcount, sendtype},
                            {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_allgather_init)
extern "C" int PMPI_Neighbor_allgather_init(const void* sendbuf, int sendcount,
                                            MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                            MPI_Request* request) {
  return neighbor_allgather({"MPI_Neighbor_allgather_init", info, request},
                            {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_allgather_init_c)
extern "C" int PMPI_Neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount,
                                              MPI_Datatype sendtype, void* recvbuf,
                                              MPI_Count recvcount, MPI_Datatype recvtype,
                                              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return neighbor_allgather({"MPI_Neighbor_allgather_init_c", info, request},
                            {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_allgatherv)
extern "C" int PMPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, const int recvcounts[], const int displs[],
                                        MPI_Datatype recvtype, MPI_Comm comm) {
  return neighbor_allgatherv("MPI_Neighbor_allgatherv", {sendbuf, sendcount, sendtype},
                             {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_allgatherv_c)
extern "C" int PMPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                          MPI_Datatype sendtype, void* recvbuf,
                                          const MPI_Count recvcounts[], const MPI_Aint displs[],
                                          MPI_Datatype recvtype, MPI_Comm comm) {
  return neighbor_allgatherv("MPI_Neighbor_allgatherv_c", {sendbuf, sendcount, sendtype},
                             {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_allgatherv)
extern "C" int PMPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                         void* recvbuf, const int recvcounts[], const int displs[],
                                         MPI_Datatype recvtype, MPI_Comm comm,
                                         MPI_Request* request) {
  return neighbor_allgatherv({"MPI_Ineighbor_allgatherv", request}, {sendbuf, sendcount, sendtype},
                             {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_allgatherv_c)
extern "C" int PMPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                           MPI_Datatype sendtype, void* recvbuf,
                                           const MPI_Count recvcounts[], const MPI_Aint displs[],
                                           MPI_Datatype recvtype, MPI_Comm comm,
                                           MPI_Request* request) {
  return neighbor_allgatherv({"MPI_Ineighbor_allgatherv_c", request},
                             {sendbuf, sendcount, sendtype},
                             {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_allgatherv_init)
extern "C" int PMPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount,
                                             MPI_Datatype sendtype, void* recvbuf,
                                             const int recvcounts[], const int displs[],
                                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                             MPI_Request* request) {
  return neighbor_allgatherv({"MPI_Neighbor_allgatherv_init", info, request},
                             {sendbuf, sendcount, sendtype},
                             {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_allgatherv_init_c)
extern "C" int PMPI_Neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount,
                                               MPI_Datatype sendtype, void* recvbuf,
                                               const MPI_Count recvcounts[],
                                               const MPI_Aint displs[], MPI_Datatype recvtype,
                                               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return neighbor_allgatherv({"MPI_Neighbor_allgatherv_init_c", info, request},
                             {sendbuf, sendcount, sendtype},
                             {recvbuf, recvcounts, displs, recvtype}, comm);
}
