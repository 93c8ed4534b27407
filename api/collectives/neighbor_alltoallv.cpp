// SPDX-License-Identifier: BSD-3-Clause
// MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw (MPI-5.0 §8.6.2, §8.7.2, §8.8.2).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

template <class Sides>
int neighbor_exchange(coll::Operation operation, const Form& form, const Sides& in,
                      const Sides& out, MPI_Comm comm) noexcept {
  Collective c(operation, form, comm);
  const bool right = c.ready() && c.neighbourhood() && c.in_place(in.buffer, false, kSendNames) &&
                     c.send(in, c.destinations()) && c.receive(out, c.sources());
  return right ? c.run() : c.raised();
}

int neighbor_alltoallv(const Form& form, const Parts& in, const Parts& out,
                       MPI_Comm comm) noexcept {
  return neighbor_exchange(coll::Operation::neighbor_alltoallv, form, in, out, comm);
}

int neighbor_alltoallw(const Form& form, const TypedParts& in, const TypedParts& out,
                       MPI_Comm comm) noexcept {
  return neighbor_exchange(coll::Operation::neighbor_alltoallw, form, in, out, comm);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoallv)
extern "C" int PMPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const int rdispls[],
                                       MPI_Datatype recvtype, MPI_Comm comm) {
  return neighbor_alltoallv("MPI_Neighbor_alltoallv", {sendbuf, sendcounts, sdispls, sendtype},
                            {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoallv_c)
extern "C" int PMPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                         void* recvbuf, const MPI_Count recvcounts[],
                                         const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                         MPI_Comm comm) {
  return neighbor_alltoallv("MPI_Neighbor_alltoallv_c", {sendbuf, sendcounts, sdispls, sendtype},
                            {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_alltoallv)
extern "C" int PMPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                        const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                        const int recvcounts[], const int rdispls[],
                                        MPI_Datatype recvtype, MPI_Comm comm,
                                        MPI_Request* request) {
  return neighbor_alltoallv({"MPI_Ineighbor_alltoallv", request},
                            {sendbuf, sendcounts, sdispls, sendtype},
                            {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_alltoallv_c)
extern "C" int PMPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                          const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                          void* recvbuf, const MPI_Count recvcounts[],
                                          const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                          MPI_Comm comm, MPI_Request* request) {
  return neighbor_alltoallv({"MPI_Ineighbor_alltoallv_c", request},
                            {sendbuf, sendcounts, sdispls, sendtype},
                            {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoallv_init)
extern "C" int PMPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[],
                                            const int sdispls[], MPI_Datatype sendtype,
                                            void* recvbuf, const int recvcounts[],
                                            const int rdispls[], MPI_Datatype recvtype,
                                            MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return neighbor_alltoallv({"MPI_Neighbor_alltoallv_init", info, request},
                            {sendbuf, sendcounts, sdispls, sendtype},
                            {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoallv_init_c)
extern "C" int PMPI_Neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                              const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                              void* recvbuf, const MPI_Count recvcounts[],
                                              const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return neighbor_alltoallv({"MPI_Neighbor_alltoallv_init_c", info, request},
                            {sendbuf, sendcounts, sdispls, sendtype},
                            {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoallw)
extern "C" int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void* recvbuf, const int recvcounts[],
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm comm) {
  return neighbor_alltoallw("MPI_Neighbor_alltoallw", {sendbuf, sendcounts, sdispls, sendtypes},
                            {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoallw_c)
extern "C" int PMPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                         void* recvbuf, const MPI_Count recvcounts[],
                                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                         MPI_Comm comm) {
  return neighbor_alltoallw("MPI_Neighbor_alltoallw_c", {sendbuf, sendcounts, sdispls, sendtypes},
                            {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_alltoallw)
extern "C" int PMPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                        const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                        void* recvbuf, const int recvcounts[],
                                        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                        MPI_Comm comm, MPI_Request* request) {
  return neighbor_alltoallw({"MPI_Ineighbor_alltoallw", request},
                            {sendbuf, sendcounts, sdispls, sendtypes},
                            {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ineighbor_alltoallw_c)
extern "C" int PMPI_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                          const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                          void* recvbuf, const MPI_Count recvcounts[],
                                          const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                          MPI_Comm comm, MPI_Request* request) {
  return neighbor_alltoallw({"MPI_Ineighbor_alltoallw_c", request},
                            {sendbuf, sendcounts, sdispls, sendtypes},
                            {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoallw_init)
extern "C" int PMPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[],
                                            const MPI_Aint sdispls[],
                                            const MPI_Datatype sendtypes[], void* recvbuf,
                                            const int recvcounts[], const MPI_Aint rdispls[],
                                            const MPI_Datatype recvtypes[], MPI_Comm comm,
                                            MPI_Info info, MPI_Request* request) {
  return neighbor_alltoallw({"MPI_Neighbor_alltoallw_init", info, request},
                            {sendbuf, sendcounts, sdispls, sendtypes},
                            {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Neighbor_alltoallw_init_c)
extern "C" int PMPI_Neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                              const MPI_Aint sdispls[],
                                              const MPI_Datatype sendtypes[], void* recvbuf,
                                              const MPI_Count recvcounts[],
                                              const MPI_Aint rdispls[],
                                              const MPI_Datatype recvtypes[], MPI_Comm comm,
                                              MPI_Info info, MPI_Request* request) {
  return neighbor_alltoallw({"MPI_Neighbor_alltoallw_init_c", info, request},
                            {sendbuf, sendcounts, sdispls, sendtypes},
                            {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}
