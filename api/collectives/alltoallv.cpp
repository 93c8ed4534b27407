// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv and MPI_Alltoallw (MPI-5.0 §6.8, §6.12.6, §6.13.6).
#include "api/collectives/exchange.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int alltoallv(const Form& form, const Parts& in, const Parts& out, MPI_Comm comm) noexcept {
  return exchange(coll::Operation::alltoallv, form, in, out, comm);
}

int alltoallw(const Form& form, const TypedParts& in, const TypedParts& out,
              MPI_Comm comm) noexcept {
  return exchange(coll::Operation::alltoallw, form, in, out, comm);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Alltoallv)
extern "C" int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoallv("MPI_Alltoallv", {sendbuf, sendcounts, sdispls, sendtype},
                   {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoallv_c)
extern "C" int PMPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoallv("MPI_Alltoallv_c", {sendbuf, sendcounts, sdispls, sendtype},
                   {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ialltoallv)
extern "C" int PMPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                               MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                               const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                               MPI_Request* request) {
  return alltoallv({"MPI_Ialltoallv", request}, {sendbuf, sendcounts, sdispls, sendtype},
                   {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ialltoallv_c)
extern "C" int PMPI_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                 const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return alltoallv({"MPI_Ialltoallv_c", request}, {sendbuf, sendcounts, sdispls, sendtype},
                   {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoallv_init)
extern "C" int PMPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, MPI_Request* request) {
  return alltoallv({"MPI_Alltoallv_init", info, request}, {sendbuf, sendcounts, sdispls, sendtype},
                   {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoallv_init_c)
extern "C" int PMPI_Alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                     MPI_Request* request) {
  return alltoallv({"MPI_Alltoallv_init_c", info, request},
                   {sendbuf, sendcounts, sdispls, sendtype},
                   {recvbuf, recvcounts, rdispls, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoallw)
extern "C" int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return alltoallw("MPI_Alltoallw", {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoallw_c)
extern "C" int PMPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                MPI_Comm comm) {
  return alltoallw("MPI_Alltoallw_c", {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ialltoallw)
extern "C" int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf,
                               const int recvcounts[], const int rdispls[],
                               const MPI_Datatype recvtypes[], MPI_Comm comm,
                               MPI_Request* request) {
  return alltoallw({"MPI_Ialltoallw", request}, {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ialltoallw_c)
extern "C" int PMPI_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                 void* recvbuf, const MPI_Count recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                 MPI_Comm comm, MPI_Request* request) {
  return alltoallw({"MPI_Ialltoallw_c", request}, {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoallw_init)
extern "C" int PMPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   const MPI_Datatype sendtypes[], void* recvbuf,
                                   const int recvcounts[], const int rdispls[],
                                   const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                   MPI_Request* request) {
  return alltoallw({"MPI_Alltoallw_init", info, request}, {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoallw_init_c)
extern "C" int PMPI_Alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                     void* recvbuf, const MPI_Count recvcounts[],
                                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                     MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return alltoallw({"MPI_Alltoallw_init_c", info, request},
                   {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}
