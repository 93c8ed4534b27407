// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall (MPI-5.0 §6.8, §6.12.6, §6.13.6).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int alltoall(const Form& form, const Data& in, const Data& out, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::alltoall, form, comm);
  const bool right = c.ready() && c.in_place(in.buffer, !c.call().inter, kSendNames) &&
                     (c.is_in_place() || c.send(in)) && c.receive(out) &&
                     (c.is_in_place() || in.type != out.type || c.apart(in.buffer, out.buffer));
  return right ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Alltoall)
extern "C" int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall("MPI_Alltoall", {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype},
                  comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoall_c)
extern "C" int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm) {
  return alltoall("MPI_Alltoall_c", {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype},
                  comm);
}

TESSERA_WEAK_ALIAS(MPI_Ialltoall)
extern "C" int PMPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request* request) {
  return alltoall({"MPI_Ialltoall", request}, {sendbuf, sendcount, sendtype},
                  {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ialltoall_c)
extern "C" int PMPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm, MPI_Request* request) {
  return alltoall({"MPI_Ialltoall_c", request}, {sendbuf, sendcount, sendtype},
                  {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoall_init)
extern "C" int PMPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return alltoall({"MPI_Alltoall_init", info, request}, {sendbuf, sendcount, sendtype},
                  {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Alltoall_init_c)
extern "C" int PMPI_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return alltoall({"MPI_Alltoall_init_c", info, request}, {sendbuf, sendcount, sendtype},
                  {recvbuf, recvcount, recvtype}, comm);
}
