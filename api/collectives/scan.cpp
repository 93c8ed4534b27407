// SPDX-License-Identifier: BSD-3-Clause
// MPI_Scan and MPI_Exscan (MPI-5.0 §6.11, §6.12.11-12, §6.13.11-12).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int scan(const Form& form, const Reduction& data, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::scan, form, comm);
  const bool right = c.ready() && c.intra() && c.reduction(data, {});
  return right ? c.run() : c.raised();
}

// The first process receives nothing, so that its receive buffer does not count.
int exscan(const Form& form, const Reduction& data, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::exscan, form, comm);
  if (!c.ready() || !c.intra()) return c.raised();
  const bool receives = c.call().rank != 0 || data.sendbuf == MPI_IN_PLACE;
  return c.reduction(data, {true, receives, true}) ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Scan)
extern "C" int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm) {
  return scan("MPI_Scan", {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scan_c)
extern "C" int PMPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return scan("MPI_Scan_c", {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iscan)
extern "C" int PMPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return scan({"MPI_Iscan", request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iscan_c)
extern "C" int PMPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return scan({"MPI_Iscan_c", request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scan_init)
extern "C" int PMPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return scan({"MPI_Scan_init", info, request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scan_init_c)
extern "C" int PMPI_Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                MPI_Request* request) {
  return scan({"MPI_Scan_init_c", info, request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Exscan)
extern "C" int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm) {
  return exscan("MPI_Exscan", {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Exscan_c)
extern "C" int PMPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return exscan("MPI_Exscan_c", {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iexscan)
extern "C" int PMPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return exscan({"MPI_Iexscan", request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iexscan_c)
extern "C" int PMPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
  return exscan({"MPI_Iexscan_c", request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Exscan_init)
extern "C" int PMPI_Exscan_init(const void* sendbuf, void* recvbuf, int count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                MPI_Request* request) {
  return exscan({"MPI_Exscan_init", info, request}, {sendbuf, recvbuf, count, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Exscan_init_c)
extern "C" int PMPI_Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                  MPI_Request* request) {
  return exscan({"MPI_Exscan_init_c", info, request}, {sendbuf, recvbuf, count, datatype, op},
                comm);
}
