// SPDX-License-Identifier: BSD-3-Clause
// The engine's frameworks and parameters, as constants.
#include "core/engine_tables.h"

#include <array>

#include "tessera/btl.h"
#include "tessera/coll.h"
#include "tessera/pml.h"
#include "tessera/topo.h"

namespace tessera {
namespace {

constexpr std::array frameworks = {
    FrameworkInfo{"btl", TESSERA_INTERFACE_btl, "byte transfer layer: moves packets to one peer",
                  Shape::ranked},
    FrameworkInfo{.name = "coll",
                  .interface_number = TESSERA_INTERFACE_coll,
                  .description = "collective operations, per communicator",
                  .shape = Shape::stacked,
                  .uniform = true,
                  .per_communicator = true},
    FrameworkInfo{.name = "pml",
                  .interface_number = TESSERA_INTERFACE_pml,
                  .description = "point-to-point messaging layer",
                  .shape = Shape::one_winner,
                  .uniform = true},
    FrameworkInfo{.name = "topo",
                  .interface_number = TESSERA_INTERFACE_topo,
                  .description = "process topologies: maps ranks onto the machine",
                  .shape = Shape::per_question,
                  .uniform = true},
};

constexpr std::array params = {
    ParamDecl{"mpi_argument_check", ParamType::boolean, "true", "", "", ParamLevel::user_detail,
              "Check the arguments of every MPI call. Without it wrong arguments have undefined results."},
    ParamDecl{"core_wait", ParamType::text, "adaptive", "adaptive,spin,sleep", "", ParamLevel::user_detail,
              "How a rank waits: adaptive spins while that pays and sleeps otherwise, and gives way at once "
              "where ranks "
              "outnumber CPUs; spin never sleeps; sleep never spins."},
    ParamDecl{"core_spin_time", ParamType::integer, "20", "0..1000000", "microseconds",
              ParamLevel::tuner_detail,
              "How long an adaptive rank with a CPU of its own spins before it yields."},
    ParamDecl{"core_yield_time", ParamType::integer, "60", "0..1000000", "microseconds",
              ParamLevel::tuner_detail,
              "How long after the last event an adaptive rank stops yielding and sleeps."},
    ParamDecl{
        "core_explain", ParamType::list, "", "all,select,coll,json", "", ParamLevel::user_basic,
        "Say on standard error, once and from rank 0, what was chosen and why: select (components), coll "
        "(algorithms), all; json makes it machine-readable."},
};

}  // namespace

std::span<const FrameworkInfo> engine_frameworks() noexcept {
  return frameworks;
}
std::span<const ParamDecl> engine_params() noexcept {
  return params;
}

}  // namespace tessera
