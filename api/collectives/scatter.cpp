// SPDX-License-Identifier: BSD-3-Clause
// MPI_Scatter and MPI_Scatterv (MPI-5.0 §6.6, §6.12.4, §6.13.4).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// What goes out at the root: `in` is for all processes, or for one.
template <class In>
bool distribute(Collective& c, const In& in, const Data& out, int root) noexcept {
  if (!c.ready() || !c.root(root)) return false;
  if (!c.in_place(out.buffer, c.is_root() && !c.call().inter, kReceiveNames)) return false;
  if (c.is_root()) {
    if constexpr (std::is_same_v<In, Parts>) {
      if (!c.send(in, c.call().remote_size)) return false;
    } else {
      if (!c.send(in)) return false;
    }
  }
  if (!c.faces_root() || c.is_in_place()) return true;
  if (!c.receive(out)) return false;
  if (!c.is_root() || in.type != out.type) return true;
  if constexpr (std::is_same_v<In, Parts>) {
    return c.apart(out, in, c.call().remote_size, "recvbuf");
  } else {
    return c.apart(in.buffer, out.buffer, "recvbuf");
  }
}

int scatter(const Form& form, const Data& in, const Data& out, int root, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::scatter, form, comm);
  return distribute(c, in, out, root) ? c.run() : c.raised();
}

int scatterv(const Form& form, const Parts& in, const Data& out, int root, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::scatterv, form, comm);
  return distribute(c, in, out, root) ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Scatter)
extern "C" int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                            MPI_Comm comm) {
  return scatter("MPI_Scatter", {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype},
                 root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scatter_c)
extern "C" int PMPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                              MPI_Comm comm) {
  return scatter("MPI_Scatter_c", {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype},
                 root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iscatter)
extern "C" int PMPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                             MPI_Comm comm, MPI_Request* request) {
  return scatter({"MPI_Iscatter", request}, {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iscatter_c)
extern "C" int PMPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm, MPI_Request* request) {
  return scatter({"MPI_Iscatter_c", request}, {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scatter_init)
extern "C" int PMPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                 MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return scatter({"MPI_Scatter_init", info, request}, {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scatter_init_c)
extern "C" int PMPI_Scatter_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return scatter({"MPI_Scatter_init_c", info, request}, {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scatterv)
extern "C" int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                             MPI_Datatype sendtype, void* recvbuf, int recvcount,
                             MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatterv("MPI_Scatterv", {sendbuf, sendcounts, displs, sendtype},
                  {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scatterv_c)
extern "C" int PMPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[],
                               const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm) {
  return scatterv("MPI_Scatterv_c", {sendbuf, sendcounts, displs, sendtype},
                  {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iscatterv)
extern "C" int PMPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                              MPI_Datatype sendtype, void* recvbuf, int recvcount,
                              MPI_Datatype recvtype, int root, MPI_Comm comm,
                              MPI_Request* request) {
  return scatterv({"MPI_Iscatterv", request}, {sendbuf, sendcounts, displs, sendtype},
                  {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Iscatterv_c)
extern "C" int PMPI_Iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                MPI_Request* request) {
  return scatterv({"MPI_Iscatterv_c", request}, {sendbuf, sendcounts, displs, sendtype},
                  {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scatterv_init)
extern "C" int PMPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[],
                                  MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                  MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                                  MPI_Request* request) {
  return scatterv({"MPI_Scatterv_init", info, request}, {sendbuf, sendcounts, displs, sendtype},
                  {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Scatterv_init_c)
extern "C" int PMPI_Scatterv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                                    MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return scatterv({"MPI_Scatterv_init_c", info, request}, {sendbuf, sendcounts, displs, sendtype},
                  {recvbuf, recvcount, recvtype}, root, comm);
}
