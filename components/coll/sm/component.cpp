// SPDX-License-Identifier: BSD-3-Clause
// coll/sm: collective operations of processes that share memory, without point-to-point messages:
// blocking ones, and short nonblocking ones.
#include <new>

#include "module.h"

namespace tessera::coll::sm {

namespace {

Recalibrate recalibrate(std::string_view text) noexcept {
  if (text == "never") return Recalibrate::never;
  return text == "always" ? Recalibrate::always : Recalibrate::shifted;
}

}  // namespace

class SmComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override {
    try {
      const Settings settings{host.params.size("memory"), host.params.size("slot_size"),
                              host.params.boolean("direct"),
                              recalibrate(host.params.text("recalibrate"))};
      common_.emplace(host.job, settings, Limits(host.params));
      return {};
    } catch (const std::bad_alloc&) {
      return Errc::no_memory;
    }
  }

  void use(const Rules& rules) noexcept override { common_->use(rules); }

  Status end() noexcept override { return common_->end(); }

  Result<Module*> query(Communicator& comm) noexcept override {
    if (comm.inter()) return Status::failure(Errc::refused, "it is an intercommunicator");
    if (comm.size() < 2) return Status::failure(Errc::refused, "there is one process only");
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (comm.local_peer(rank).id >= comm.job().size())
        return Status::failure(Errc::refused, "some of its processes are of other jobs");
      if (comm.local_peer(rank).bell == nullptr)
        return Status::failure(Errc::refused,
                               "not all its processes are reached through shared memory");
    }
    Module* module = new (std::nothrow) SmModule(*common_, comm);
    if (module == nullptr) return Status(Errc::no_memory);
    return module;
  }

 private:
  std::optional<Common> common_;
};

}  // namespace tessera::coll::sm

// clang-format off
#define LIMIT(OPERATION)                                                                           \
  TESSERA_FACT("uniform", OPERATION "_limit")                                                      \
  TESSERA_PARAM(OPERATION "_limit", size, "0", "0..", "bytes", 5,                                  \
                "Largest " OPERATION " handled in shared memory: message size in bytes, of bcast " \
                "and reductions the vector, else one rank's block. 0: the collective rules decide.")

#define LIMIT_OF_BLOCKS(OPERATION)                                                                 \
  TESSERA_FACT("uniform", OPERATION "_limit")                                                      \
  TESSERA_PARAM(OPERATION "_limit", size, "0", "0..", "bytes", 5,                                  \
                "Largest block of " OPERATION " that passes through a slot of the shared segment; " \
                "larger blocks are sent point-to-point, or copied directly. 0: automatic.")

TESSERA_COMPONENT(coll, sm, "1.0.0", 40, tessera::coll::sm::SmComponent,
  "Collective operations in memory shared by all ranks of a node",
  TESSERA_FACT("uniform", "memory") TESSERA_FACT("uniform", "slot_size")
  TESSERA_FACT("synonym", "package=slot_size")
  TESSERA_FACT("uniform", "direct") TESSERA_FACT("uniform", "direct_limit")
  TESSERA_FACT("uniform", "recalibrate")
  TESSERA_FACT("serves",
    "barrier,bcast,gather,gatherv,scatter,scatterv,allgather,allgatherv,alltoall,alltoallv,"
    "alltoallw,reduce,allreduce,reduce_scatter,reduce_scatter_block,scan,exscan,"
    "neighbor_allgather,neighbor_allgatherv,neighbor_alltoall,neighbor_alltoallv,"
    "neighbor_alltoallw")
  TESSERA_PARAM("memory", size, "192M", "1M..1G", "bytes", 5,
    "Shared memory for all communicators of the job, allocated on first use. A communicator for "
    "which no room is left uses point-to-point messages.")
  TESSERA_PARAM("slot_size", size, "32K", "4K..1M", "bytes", 6,
    "Size of one rank's slot in the shared segment. Longer data is pipelined in chunks of this "
    "size. Smaller in communicators of more than 32 ranks.")
  TESSERA_PARAM("direct", boolean, "true", "", "", 5,
    "Use CMA (process_vm_readv, process_vm_writev) for large reductions and long blocks. Ignored "
    "where the kernel does not permit CMA.")
  TESSERA_PARAM("direct_limit", size, "0", "0..", "bytes", 6,
    "Smallest message for which ranks read and write each other's buffers with CMA: of reductions "
    "and bcast the vector, else one block. Not used by scan, neighborhood operations, and exscan "
    "of more than two ranks. 0: automatic.")
  TESSERA_PARAM("recalibrate", text, "shifted", "never,shifted,always", "", 6,
    "When to measure the machine again and choose protocols anew. shifted: when a cache line costs "
    "at least twice as much as before, or at most half as much. always: every 8 calls, for tests; every second "
    "time as if CMA gained nothing.")
  LIMIT("bcast") LIMIT("gather") LIMIT("scatter") LIMIT("allgather") LIMIT("alltoall")
  LIMIT("reduce") LIMIT("allreduce") LIMIT("reduce_scatter") LIMIT("reduce_scatter_block")
  LIMIT("scan") LIMIT("exscan")
  LIMIT_OF_BLOCKS("gatherv") LIMIT_OF_BLOCKS("scatterv") LIMIT_OF_BLOCKS("allgatherv")
  LIMIT_OF_BLOCKS("alltoallv") LIMIT_OF_BLOCKS("alltoallw")
  LIMIT_OF_BLOCKS("neighbor_allgather") LIMIT_OF_BLOCKS("neighbor_allgatherv")
  LIMIT_OF_BLOCKS("neighbor_alltoall") LIMIT_OF_BLOCKS("neighbor_alltoallv")
  LIMIT_OF_BLOCKS("neighbor_alltoallw"))
// clang-format on
