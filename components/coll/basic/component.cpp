// SPDX-License-Identifier: BSD-3-Clause
// coll/basic: every collective operation on every communicator.
#include <memory>
#include <new>

#include "module.h"

namespace tessera::coll::basic {

class BasicComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override {
    try {
      chooser_ = std::make_unique<Chooser>(host.params, builtin_rules());
      return {};
    } catch (const std::bad_alloc&) {
      return Errc::no_memory;
    }
  }

  Result<Module*> query(Communicator& comm) noexcept override {
    Module* module = new (std::nothrow) BasicModule(*chooser_, comm.inter());
    if (module == nullptr) return Status(Errc::no_memory);
    return module;
  }

 private:
  std::unique_ptr<Chooser> chooser_;
};

}  // namespace tessera::coll::basic

#define ALGORITHM(OPERATION, NAMES)                                         \
  TESSERA_PARAM(OPERATION "_algorithm", text, "auto", "auto," NAMES, "", 5, \
                "How " OPERATION                                            \
                " is carried out on intracommunicators; auto: by rules on processes and bytes.")

TESSERA_COMPONENT(coll, basic, "1.0.0", 10, tessera::coll::basic::BasicComponent,
                  "All collective operations on all communicators, over point-to-point messages",
                  ALGORITHM("barrier", "dissemination,linear")                                 //
                  ALGORITHM("bcast", "binomial,chain,scatter_allgather,linear")                //
                  ALGORITHM("gather", "binomial,linear")                                       //
                  ALGORITHM("gatherv", "linear")                                               //
                  ALGORITHM("scatter", "binomial,linear")                                      //
                  ALGORITHM("scatterv", "linear")                                              //
                  ALGORITHM("allgather", "recursive_doubling,bruck,ring,linear")               //
                  ALGORITHM("allgatherv", "ring,linear")                                       //
                  ALGORITHM("alltoall", "bruck,pairwise,linear")                               //
                  ALGORITHM("alltoallv", "pairwise,linear")                                    //
                  ALGORITHM("alltoallw", "pairwise,linear")                                    //
                  ALGORITHM("reduce", "binomial,linear")                                       //
                  ALGORITHM("allreduce", "rabenseifner,ring,reduce_bcast,recursive_doubling")  //
                  ALGORITHM("reduce_scatter", "recursive_halving,pairwise,ordered")            //
                  ALGORITHM("reduce_scatter_block", "recursive_halving,pairwise,ordered")      //
                  ALGORITHM("scan", "recursive_doubling,linear")                               //
                  ALGORITHM("exscan", "recursive_doubling,linear")                             //
                  ALGORITHM("neighbor_allgather", "linear")                                    //
                  ALGORITHM("neighbor_allgatherv", "linear")                                   //
                  ALGORITHM("neighbor_alltoall", "linear")                                     //
                  ALGORITHM("neighbor_alltoallv", "linear")                                    //
                  ALGORITHM("neighbor_alltoallw", "linear"))
