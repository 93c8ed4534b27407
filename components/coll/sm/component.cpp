// SPDX-License-Identifier: BSD-3-Clause
// coll/sm: blocking collective operations of processes that share memory, without point-to-point
// messages.
#include <new>

#include "module.h"

namespace tessera::coll::sm {

class SmComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override {
    try {
      const Settings settings{host.params.size("memory"), host.params.size("package"),
                              host.params.boolean("direct")};
      common_.emplace(host.job, settings, Limits(host.params));
      return {};
    } catch (const std::bad_alloc&) {
      return Errc::no_memory;
    }
  }

  void use(const Rules& rules) noexcept override { common_->use(rules); }

  Result<Module*> query(Communicator& comm) noexcept override {
    if (comm.inter()) return Status::failure(Errc::refused, "it is an intercommunicator");
    if (comm.size() < 2) return Status::failure(Errc::refused, "there is one process only");
    for (int rank = 0; rank < comm.size(); ++rank) {
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
#define LIMIT(OPERATION)                                                                          \
  TESSERA_FACT("uniform", OPERATION "_limit")                                                     \
  TESSERA_PARAM(OPERATION "_limit", size, "0", "0..", "bytes", 5,                                 \
                "Most data of " OPERATION " that goes this way: of the vector in bcast and "      \
                "reductions, else of one block. Unless set, by rules.")

#define LIMIT_OF_BLOCKS(OPERATION)                                                                \
  TESSERA_FACT("uniform", OPERATION "_limit")                                                     \
  TESSERA_PARAM(OPERATION "_limit", size, "0", "0..", "bytes", 5,                                 \
                "Longest block of " OPERATION " that is shown, as far as a package has room for " \
                "it; longer ones are sent, or copied directly where that is done. Unless set, own choice.")

TESSERA_COMPONENT(coll, sm, "1.0.0", 40, tessera::coll::sm::SmComponent,
                  "Blocking collective operations in memory shared by all processes",
  TESSERA_FACT("uniform", "memory") TESSERA_FACT("uniform", "package")
  TESSERA_FACT("uniform", "direct") TESSERA_FACT("uniform", "direct_limit")
  TESSERA_FACT("serves", "barrier,bcast,gather,gatherv,scatter,scatterv,allgather,allgatherv,alltoall,alltoallv,"
                         "alltoallw,reduce,allreduce,reduce_scatter,reduce_scatter_block,scan,exscan,"
                         "neighbor_allgather,neighbor_allgatherv,neighbor_alltoall,neighbor_alltoallv,neighbor_alltoallw")
  TESSERA_PARAM("memory", size, "64M", "1M..1G", "bytes", 5,
                "Shared memory for all communicators of the job, taken as it is used. A communicator that finds no "
                "room uses messages.")
  TESSERA_PARAM("package", size, "32K", "4K..1M", "bytes", 6,
                "What a process shows the others in one step, at most; longer data goes in several steps. Less in "
                "communicators of more than 32 processes.")
  TESSERA_PARAM("direct", boolean, "true", "", "", 5,
                "Whether large reductions and long blocks read and write the memory of the other processes "
                "(process_vm_readv(2)). Where the system forbids it, they do not, whatever is said here.")
  TESSERA_PARAM("direct_limit", size, "0", "0..", "bytes", 6,
                "Reductions of at least so much data (of the vector), and blocks of other operations of at least so many "
                "bytes go this way; scan, bcast, neighbourhoods and an exscan of more than two never do. 0: own choice.")
  LIMIT("bcast") LIMIT("gather") LIMIT("scatter") LIMIT("allgather") LIMIT("alltoall") LIMIT("reduce")
  LIMIT("allreduce") LIMIT("reduce_scatter") LIMIT("reduce_scatter_block") LIMIT("scan") LIMIT("exscan")
  LIMIT_OF_BLOCKS("gatherv") LIMIT_OF_BLOCKS("scatterv") LIMIT_OF_BLOCKS("allgatherv") LIMIT_OF_BLOCKS("alltoallv")
  LIMIT_OF_BLOCKS("alltoallw") LIMIT_OF_BLOCKS("neighbor_allgather") LIMIT_OF_BLOCKS("neighbor_allgatherv")
  LIMIT_OF_BLOCKS("neighbor_alltoall") LIMIT_OF_BLOCKS("neighbor_alltoallv") LIMIT_OF_BLOCKS("neighbor_alltoallw"))
// clang-format on
