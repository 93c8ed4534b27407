// SPDX-License-Identifier: BSD-3-Clause
// coll/basic: every collective operation on every communicator.
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "module.h"

namespace tessera::coll::basic {

class BasicComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override {
    try {
      params_ = &host.params;
      chooser_ = std::make_unique<Chooser>(host.params, builtin_rules());
      for (const char* operation : kOperationNames)
        hints_.push_back(std::string("tessera.coll_basic_") + operation + "_algorithm");
      return {};
    } catch (const std::bad_alloc&) {
      return Errc::no_memory;
    }
  }

  Result<Module*> query(Communicator& comm) noexcept override {
    try {
      if (!has_hints(comm)) return new BasicModule(*chooser_, comm.inter());
      auto own = std::make_unique<const Chooser>(*params_, builtin_rules(), &comm);
      return new BasicModule(std::move(own), comm.inter());
    } catch (const std::bad_alloc&) {
      return Status(Errc::no_memory);
    }
  }

 private:
  bool has_hints(const Communicator& comm) const noexcept {
    for (const std::string& key : hints_)
      if (comm.hint(key.c_str()) != nullptr) return true;
    return false;
  }

  const Params* params_ = nullptr;
  std::vector<std::string> hints_;  // the info keys that give a communicator an algorithm of its own
  std::unique_ptr<Chooser> chooser_;
};

}  // namespace tessera::coll::basic

#define ALGORITHM(OPERATION, NAMES)                                         \
  TESSERA_PARAM(OPERATION "_algorithm", text, "auto", "auto," NAMES, "", 5, \
                "How " OPERATION                                            \
                " is carried out on intracommunicators; auto: by rules on processes and bytes.")

TESSERA_COMPONENT(coll, basic, "1.0.0", 10, tessera::coll::basic::BasicComponent,
                  "All collective operations on all communicators, over point-to-point messages",
                  TESSERA_FACT("uniform", "*_algorithm")                                       //
                  TESSERA_FACT("per_communicator", "*_algorithm")                              //
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
