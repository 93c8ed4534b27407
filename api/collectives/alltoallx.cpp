// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Alltoallx (mpix.h, docs/extensions.md): MPI_Alltoallw with displacements that are addresses.
#include "api/collectives/exchange.h"

#pragma GCC visibility push(default)
#include "mpix.h"
#pragma GCC visibility pop

using namespace tessera;
using namespace tessera::api;

namespace {

int alltoallx(const Form& form, const TypedParts& in, const TypedParts& out,
              MPI_Comm comm) noexcept {
  return exchange(coll::Operation::alltoallw, form, in, out, comm);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPIX_Alltoallx)
extern "C" int PMPIX_Alltoallx(const void* sendbuf, const int sendcounts[],
                               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                               void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                               const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return alltoallx("MPIX_Alltoallx", {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPIX_Ialltoallx)
extern "C" int PMPIX_Ialltoallx(const void* sendbuf, const int sendcounts[],
                                const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                const MPI_Datatype recvtypes[], MPI_Comm comm,
                                MPI_Request* request) {
  return alltoallx({"MPIX_Ialltoallx", request}, {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPIX_Alltoallx_init)
extern "C" int PMPIX_Alltoallx_init(const void* sendbuf, const int sendcounts[],
                                    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                    void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                    MPI_Request* request) {
  return alltoallx({"MPIX_Alltoallx_init", info, request},
                   {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPIX_Alltoallx_c)
extern "C" int PMPIX_Alltoallx_c(const void* sendbuf, const MPI_Count sendcounts[],
                                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                 void* recvbuf, const MPI_Count recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                 MPI_Comm comm) {
  return alltoallx("MPIX_Alltoallx_c", {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPIX_Ialltoallx_c)
extern "C" int PMPIX_Ialltoallx_c(const void* sendbuf, const MPI_Count sendcounts[],
                                  const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                  void* recvbuf, const MPI_Count recvcounts[],
                                  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                  MPI_Comm comm, MPI_Request* request) {
  return alltoallx({"MPIX_Ialltoallx_c", request}, {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}

TESSERA_WEAK_ALIAS(MPIX_Alltoallx_init_c)
extern "C" int PMPIX_Alltoallx_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                      const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                      void* recvbuf, const MPI_Count recvcounts[],
                                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                      MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return alltoallx({"MPIX_Alltoallx_init_c", info, request},
                   {sendbuf, sendcounts, sdispls, sendtypes},
                   {recvbuf, recvcounts, rdispls, recvtypes}, comm);
}
