// SPDX-License-Identifier: BSD-3-Clause
// MPI_Gather and MPI_Gatherv (MPI-5.0 §6.5, §6.12.3, §6.13.3).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// What comes out at the root: `out` is for all processes, or for one.
template <class Out>
bool collect(Collective& c, const Data& in, const Out& out, int root) noexcept {
  if (!c.ready() || !c.root(root)) return false;
  if (!c.in_place(in.buffer, c.is_root() && !c.call().inter, kSendNames)) return false;
  const bool sends = c.faces_root() && !c.is_in_place();
  if (sends && !c.send(in)) return false;
  if (!c.is_root()) return true;
  if constexpr (std::is_same_v<Out, Parts>) {
    const int n = c.call().remote_size;
    return c.receive(out, n) && (!sends || c.apart(in, out, n));
  } else {
    return c.receive(out) && (!sends || in.type != out.type || c.apart(in.buffer, out.buffer));
  }
}

int gather(const Form& form, const Data& in, const Data& out, int root, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::gather, form, comm);
  return collect(c, in, out, root) ? c.run() : c.raised();
}

int gatherv(const Form& form, const Data& in, const Parts& out, int root, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::gatherv, form, comm);
  return collect(c, in, out, root) ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Gather)
extern "C" int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gather("MPI_Gather", {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root,
                comm);
}

TESSERA_WEAK_ALIAS(MPI_Gather_c)
extern "C" int PMPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                             MPI_Comm comm) {
  return gather("MPI_Gather_c", {sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype},
                root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Igather)
extern "C" int PMPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                            MPI_Comm comm, MPI_Request* request) {
  return gather({"MPI_Igather", request}, {sendbuf, sendcount, sendtype},
                {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Igather_c)
extern "C" int PMPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                              MPI_Comm comm, MPI_Request* request) {
  return gather({"MPI_Igather_c", request}, {sendbuf, sendcount, sendtype},
                {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Gather_init)
extern "C" int PMPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return gather({"MPI_Gather_init", info, request}, {sendbuf, sendcount, sendtype},
                {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Gather_init_c)
extern "C" int PMPI_Gather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return gather({"MPI_Gather_init_c", info, request}, {sendbuf, sendcount, sendtype},
                {recvbuf, recvcount, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Gatherv)
extern "C" int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int displs[],
                            MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gatherv("MPI_Gatherv", {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcounts, displs, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Gatherv_c)
extern "C" int PMPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                              MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gatherv("MPI_Gatherv_c", {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcounts, displs, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Igatherv)
extern "C" int PMPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, const int recvcounts[], const int displs[],
                             MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return gatherv({"MPI_Igatherv", request}, {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcounts, displs, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Igatherv_c)
extern "C" int PMPI_Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                               MPI_Datatype recvtype, int root, MPI_Comm comm,
                               MPI_Request* request) {
  return gatherv({"MPI_Igatherv_c", request}, {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcounts, displs, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Gatherv_init)
extern "C" int PMPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const int recvcounts[], const int displs[],
                                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                                 MPI_Request* request) {
  return gatherv({"MPI_Gatherv_init", info, request}, {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcounts, displs, recvtype}, root, comm);
}

TESSERA_WEAK_ALIAS(MPI_Gatherv_init_c)
extern "C" int PMPI_Gatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const MPI_Count recvcounts[],
                                   const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return gatherv({"MPI_Gatherv_init_c", info, request}, {sendbuf, sendcount, sendtype},
                 {recvbuf, recvcounts, displs, recvtype}, root, comm);
}
