// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allgather and MPI_Allgatherv (MPI-5.0 §6.7, §6.12.5, §6.13.5).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int allgather(const Form& form, const Data& in, const Data& out, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::allgather, form, comm);
  const bool right = c.ready() && c.in_place(in.buffer, !c.call().inter, kSendNames) &&
                     (c.is_in_place() || c.send(in)) && c.receive(out) &&
                     (c.is_in_place() || in.type != out.type || c.apart(in.buffer, out.buffer));
  return right ? c.run() : c.raised();
}

int allgatherv(const Form& form, const Data& in, const Parts& out, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::allgatherv, form, comm);
  const bool right = c.ready() && c.in_place(in.buffer, !c.call().inter, kSendNames) &&
                     (c.is_in_place() || c.send(in)) && c.receive(out, c.call().remote_size) &&
                     (c.is_in_place() || c.apart(in, out, c.call().remote_size));
  return right ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Allgather)
extern "C" int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather("MPI_Allgather", {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype},
                   comm);
}

TESSERA_WEAK_ALIAS(MPI_Allgather_c)
extern "C" int PMPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm) {
  return allgather("MPI_Allgather_c", {sendbuf, sendcount, sendtype},
                   {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iallgather)
extern "C" int PMPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                               MPI_Request* request) {
  return allgather({"MPI_Iallgather", request}, {sendbuf, sendcount, sendtype},
                   {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iallgather_c)
extern "C" int PMPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 MPI_Comm comm, MPI_Request* request) {
  return allgather({"MPI_Iallgather_c", request}, {sendbuf, sendcount, sendtype},
                   {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Allgather_init)
extern "C" int PMPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return allgather({"MPI_Allgather_init", info, request}, {sendbuf, sendcount, sendtype},
                   {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Allgather_init_c)
extern "C" int PMPI_Allgather_init_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                     MPI_Request* request) {
  return allgather({"MPI_Allgather_init_c", info, request}, {sendbuf, sendcount, sendtype},
                   {recvbuf, recvcount, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Allgatherv)
extern "C" int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const int recvcounts[], const int displs[],
                               MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv("MPI_Allgatherv", {sendbuf, sendcount, sendtype},
                    {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Allgatherv_c)
extern "C" int PMPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const MPI_Count recvcounts[],
                                 const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv("MPI_Allgatherv_c", {sendbuf, sendcount, sendtype},
                    {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iallgatherv)
extern "C" int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const int recvcounts[], const int displs[],
                                MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return allgatherv({"MPI_Iallgatherv", request}, {sendbuf, sendcount, sendtype},
                    {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iallgatherv_c)
extern "C" int PMPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, const MPI_Count recvcounts[],
                                  const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Request* request) {
  return allgatherv({"MPI_Iallgatherv_c", request}, {sendbuf, sendcount, sendtype},
                    {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Allgatherv_init)
extern "C" int PMPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const int recvcounts[], const int displs[],
                                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                    MPI_Request* request) {
  return allgatherv({"MPI_Allgatherv_init", info, request}, {sendbuf, sendcount, sendtype},
                    {recvbuf, recvcounts, displs, recvtype}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Allgatherv_init_c)
extern "C" int PMPI_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void* recvbuf,
                                      const MPI_Count recvcounts[], const MPI_Aint displs[],
                                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                      MPI_Request* request) {
  return allgatherv({"MPI_Allgatherv_init_c", info, request}, {sendbuf, sendcount, sendtype},
                    {recvbuf, recvcounts, displs, recvtype}, comm);
}
