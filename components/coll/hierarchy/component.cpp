// SPDX-License-Identifier: BSD-3-Clause
// coll/hierarchy: collective operations put together from operations of the groups of each level.
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "description.h"
#include "finding_module.h"

namespace tessera::coll::hierarchy {

constexpr const char* kNoLevels =
    "all processes are on one machine, and no levels within it were given (coll_hierarchy_file, "
    "coll_hierarchy_shape) or asked for (coll_hierarchy_find)";

constexpr const char* kOtherJobs =
    "it has processes of other jobs, which may not have this component; coll_hierarchy_find yes "
    "asks "
    "for it everywhere";

class HierarchyComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override try {
    const Params& params = host.params;
    read_settings(params);
    const std::string file(params.text("file")), shape(params.text("shape"));
    const int processes = static_cast<int>(host.job.size());
    if (!file.empty() && !shape.empty())
      note(Status::failure(
          Errc::argument, "coll_hierarchy_file and coll_hierarchy_shape are both given; give one"));
    else if (!file.empty())
      note(read_description(file, processes));
    else if (!shape.empty())
      note(read_shape(shape, processes));
    find_ = params.text("find");
    const auto system = params.integer("system");
    settings_.system = static_cast<std::uint64_t>(system + 1);
    settings_.asked = description_.has_value() || find_ == "yes" || system >= 0;
    if (wrong_.empty() && !settings_.asked &&
        (find_ == "no" || host.job.local_size() == host.job.size()))
      return Status::failure(Errc::refused, kNoLevels);
    return {};
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }

  void use(const Rules& rules) noexcept override { rules_ = &rules; }

  Result<Module*> query(Communicator& comm) noexcept override try {
    if (!wrong_.empty()) return static_cast<Module*>(new BrokenModule(wrong_code_, wrong_));
    if (comm.inter()) return Status::failure(Errc::refused, "it is an intercommunicator");
    if (comm.size() < 3) return Status::failure(Errc::refused, "levels need three processes");
    if (description_) return by_description(comm);
    if (find_ == "yes" || (find_ == "auto" && spans_machines(comm) && is_of_one_job(comm)))
      return static_cast<Module*>(new FindingModule(settings_, rules_, comm, place_));
    return Status::failure(Errc::refused, is_of_one_job(comm) ? kNoLevels : kOtherJobs);
  } catch (const std::bad_alloc&) {
    return Status(Errc::no_memory);
  }

 private:
  void read_settings(const Params& params) {
    for (const Operation operation : {Operation::bcast, Operation::reduce, Operation::allreduce})
      settings_.segment[static_cast<std::size_t>(operation)] =
          static_cast<Count>(params.size(std::string(name(operation)) + "_segment"));
    settings_.alltoall_limit = static_cast<Count>(params.size("alltoall_limit"));
  }

  void note(Result<Description> description) {
    if (description) {
      description_ = std::move(description.value());
    } else {
      wrong_code_ = description.status().code();
      wrong_ = description.status().text();
    }
  }

  static bool spans_machines(const Communicator& comm) noexcept {
    for (int rank = 0; rank < comm.size(); ++rank)
      if (comm.local_peer(rank).locality == Locality::remote) return true;
    return false;
  }

  // Processes of a job on one machine do not open this component, and those of another job do not
  // know: what one of them chose the other would not.
  static bool is_of_one_job(const Communicator& comm) noexcept {
    for (int rank = 0; rank < comm.size(); ++rank)
      if (comm.local_peer(rank).id >= comm.job().size()) return false;
    return true;
  }

  // The description is about the job; the communicator has some of its processes, in an order of
  // its own.
  Result<Module*> by_description(Communicator& comm) {
    Description levels = *description_;
    for (Level& level : levels) {
      std::vector<int> group;
      for (int rank = 0; rank < comm.size(); ++rank) {
        const std::size_t id = comm.local_peer(rank).id;
        if (id >= level.group.size())
          return Status::failure(Errc::refused,
                                 "it has processes that the description of the job does not know");
        group.push_back(level.group[id]);
      }
      level.group = std::move(group);
    }
    Tree tree(comm.size(), levels);
    if (tree.stages() < 2)
      return Status::failure(
          Errc::refused, "its processes are all in one group of each level, or each in its own");
    return static_cast<Module*>(
        new HierarchyModule(settings_, rules_, layout_of(comm), std::move(tree)));
  }

  Settings settings_;
  const Rules* rules_ = nullptr;
  std::optional<Description> description_;
  std::string find_;
  std::optional<Place> place_;  // of this process, once it was asked for
  std::string wrong_;           // what is wrong with the description, if anything
  Errc wrong_code_ = Errc::ok;
};

}  // namespace tessera::coll::hierarchy

// clang-format off
#define SEGMENT(OPERATION)                                                                      \
  TESSERA_FACT("uniform", OPERATION "_segment")                                                 \
  TESSERA_PARAM(OPERATION "_segment", size, "128K", "0..1G", "bytes", 5,                        \
                "Segment size with which " OPERATION " is pipelined through the levels. 0: no " \
                "segmentation.")

TESSERA_COMPONENT(coll, hierarchy, "1.0.0", 60, tessera::coll::hierarchy::HierarchyComponent,
  "Hierarchical collective operations: systems, nodes, sockets, shared caches",
  TESSERA_FACT("uniform", "file") TESSERA_FACT("uniform", "shape") TESSERA_FACT("uniform", "find")
  TESSERA_FACT("uniform", "alltoall_limit")
  TESSERA_FACT("serves",
    "barrier,bcast,gather,scatter,allgather,allgatherv,alltoall,reduce,allreduce,"
    "reduce_scatter,reduce_scatter_block,scan,exscan")
  TESSERA_PARAM("file", text, "", "", "", 3,
    "File that describes the levels: which ranks share a system, a node, and so on. All "
    "operations then use these levels, unless a rule of coll_rules says otherwise.")
  TESSERA_PARAM("shape", text, "", "", "", 3,
    "The levels in short form: 2x4x8 means 2 systems of 4 nodes of 8 ranks, in rank order.")
  TESSERA_PARAM("find", text, "auto", "auto,yes,no", "", 4,
    "Discover node, package and cache of each rank at the first blocking collective operation of "
    "a communicator. auto: only if the communicator spans nodes. yes: always, and all operations "
    "use the levels.")
  TESSERA_PARAM("system", integer, "-1", "-1..31", "", 6,
    "Which one of several MPI systems this is, as `impirun -client` sets it: the systems are the "
    "highest level of a communicator that spans them.")
  TESSERA_PARAM("alltoall_limit", size, "4K", "0..1G", "bytes", 5,
    "Largest block of alltoall that the group leaders forward.")
  SEGMENT("bcast") SEGMENT("reduce") SEGMENT("allreduce"))
// clang-format on
