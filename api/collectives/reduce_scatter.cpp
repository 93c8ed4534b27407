// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce_scatter_block and MPI_Reduce_scatter (MPI-5.0 §6.10, §6.12.9-10, §6.13.9-10).
#include "api/collectives/collective.h"

using namespace tessera;
using namespace tessera::api;

namespace {

struct ScatteredReduction {
  const void* sendbuf;
  void* recvbuf;
  coll::CountArray counts;
  MPI_Datatype type;
  MPI_Op op;
};

// The operand holds the parts of all processes of this side; what is received is one part.
bool scattered(Collective& c, const ScatteredReduction& data) noexcept {
  if (!c.in_place(data.sendbuf, !c.call().inter, kSendNames)) return false;
  const void* operand = c.is_in_place() ? data.recvbuf : data.sendbuf;
  coll::Call& call = c.call();
  if (!c.send(Parts{operand, data.counts, {}, data.type}, call.size, kReductionSendNames))
    return false;
  call.receive = call.send;
  call.receive.buffer = data.recvbuf;
  return c.op(data.op) &&
         (!c.checked() || call.receive.counts[call.rank] == 0 ||
          c.buffer(data.recvbuf, 1, static_cast<const TypeObject&>(*call.receive.type), "recvbuf"));
}

int reduce_scatter_block(const Form& form, const Reduction& data, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::reduce_scatter_block, form, comm);
  const bool right = c.ready() && c.reduction(data, {true, true, !c.call().inter});
  return right ? c.run() : c.raised();
}

int reduce_scatter(const Form& form, const ScatteredReduction& data, MPI_Comm comm) noexcept {
  Collective c(coll::Operation::reduce_scatter, form, comm);
  return c.ready() && scattered(c, data) ? c.run() : c.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Reduce_scatter_block)
extern "C" int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter_block("MPI_Reduce_scatter_block",
                              {sendbuf, recvbuf, recvcount, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_scatter_block_c)
extern "C" int PMPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter_block("MPI_Reduce_scatter_block_c",
                              {sendbuf, recvbuf, recvcount, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ireduce_scatter_block)
extern "C" int PMPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                          MPI_Request* request) {
  return reduce_scatter_block({"MPI_Ireduce_scatter_block", request},
                              {sendbuf, recvbuf, recvcount, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ireduce_scatter_block_c)
extern "C" int PMPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                            MPI_Request* request) {
  return reduce_scatter_block({"MPI_Ireduce_scatter_block_c", request},
                              {sendbuf, recvbuf, recvcount, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_scatter_block_init)
extern "C" int PMPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount,
                                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                              MPI_Info info, MPI_Request* request) {
  return reduce_scatter_block({"MPI_Reduce_scatter_block_init", info, request},
                              {sendbuf, recvbuf, recvcount, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_scatter_block_init_c)
extern "C" int PMPI_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf,
                                                MPI_Count recvcount, MPI_Datatype datatype,
                                                MPI_Op op, MPI_Comm comm, MPI_Info info,
                                                MPI_Request* request) {
  return reduce_scatter_block({"MPI_Reduce_scatter_block_init_c", info, request},
                              {sendbuf, recvbuf, recvcount, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_scatter)
extern "C" int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return reduce_scatter("MPI_Reduce_scatter", {sendbuf, recvbuf, recvcounts, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_scatter_c)
extern "C" int PMPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf,
                                     const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op,
                                     MPI_Comm comm) {
  return reduce_scatter("MPI_Reduce_scatter_c", {sendbuf, recvbuf, recvcounts, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ireduce_scatter)
extern "C" int PMPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                    MPI_Request* request) {
  return reduce_scatter({"MPI_Ireduce_scatter", request},
                        {sendbuf, recvbuf, recvcounts, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Ireduce_scatter_c)
extern "C" int PMPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf,
                                      const MPI_Count recvcounts[], MPI_Datatype datatype,
                                      MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return reduce_scatter({"MPI_Ireduce_scatter_c", request},
                        {sendbuf, recvbuf, recvcounts, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_scatter_init)
extern "C" int PMPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                        MPI_Info info, MPI_Request* request) {
  return reduce_scatter({"MPI_Reduce_scatter_init", info, request},
                        {sendbuf, recvbuf, recvcounts, datatype, op}, comm);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_scatter_init_c)
extern "C" int PMPI_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf,
                                          const MPI_Count recvcounts[], MPI_Datatype datatype,
                                          MPI_Op op, MPI_Comm comm, MPI_Info info,
                                          MPI_Request* request) {
  return reduce_scatter({"MPI_Reduce_scatter_init_c", info, request},
                        {sendbuf, recvbuf, recvcounts, datatype, op}, comm);
}
