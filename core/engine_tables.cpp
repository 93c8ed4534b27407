// SPDX-License-Identifier: BSD-3-Clause
// The engine's frameworks and parameters, as constants.
#include "core/engine_tables.h"

#include <array>

#include "tessera/btl.h"
#include "tessera/coll.h"
#include "tessera/data.h"
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
    FrameworkInfo{.name = "op",
                  .interface_number = TESSERA_INTERFACE_op,
                  .description = "reductions: loops for the predefined operations on basic types",
                  .shape = Shape::per_question,
                  .uniform = true},
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

#ifdef TESSERA_COLL_CHECK_DEFAULT
constexpr std::string_view kCollCheck = "true";
#else
constexpr std::string_view kCollCheck = "false";
#endif

constexpr std::array params = {
    ParamDecl{"mpi_argument_check", ParamType::boolean, "true", "", "", ParamLevel::user_detail,
              "Check the arguments of every MPI call. Without it wrong arguments have undefined "
              "results."},
    ParamDecl{"core_wait", ParamType::text, "adaptive", "adaptive,spin,sleep", "",
              ParamLevel::user_detail,
              "How a rank waits: adaptive spins while that pays and sleeps otherwise, and gives "
              "way at once where ranks outnumber CPUs; spin never sleeps; sleep never spins."},
    ParamDecl{"core_spin_time", ParamType::integer, "20", "0..1000000", "microseconds",
              ParamLevel::tuner_detail,
              "How long an adaptive rank with a CPU of its own spins before it yields."},
    ParamDecl{"core_yield_time", ParamType::integer, "60", "0..1000000", "microseconds",
              ParamLevel::tuner_detail,
              "How long after the last event an adaptive rank stops yielding and sleeps. "
              "With a CPU of its own, and after sleeps that soon ended, up to 8 times as long."},
    ParamDecl{
        .name = "coll_reproducible",
        .type = ParamType::boolean,
        .default_text = "false",
        .allowed = "",
        .unit = "",
        .level = ParamLevel::user_detail,
        .help =
            "Combine reductions one rank after the other, so that the bits of the result depend on "
            "the order of ranks alone, not on the algorithm. Slower for much data or many ranks.",
        .uniform = true},
    ParamDecl{
        .name = "coll_rules",
        .type = ParamType::list,
        .default_text = "",
        .allowed = "",
        .unit = "",
        .level = ParamLevel::tuner_basic,
        .help = "Files of rules (YAML) that say which component and algorithm carries out which "
                "collective operation; they come before the built-in rules, the first file first.",
        .uniform = true},
    ParamDecl{.name = "coll_check",
              .type = ParamType::boolean,
              .default_text = kCollCheck,
              .allowed = "",
              .unit = "",
              .level = ParamLevel::user_basic,
              .help = "Compare the collective calls of all ranks: those that do not match are "
                      "told, with both ranks and both values.",
              .uniform = true},
    ParamDecl{"core_explain", ParamType::list, "", "all,select,coll,json", "",
              ParamLevel::user_basic,
              "Say on standard error, once and from rank 0, what was chosen and why: select "
              "(components), coll (algorithms), all; json makes it machine-readable."},
};

}  // namespace

std::span<const FrameworkInfo> engine_frameworks() noexcept {
  return frameworks;
}
std::span<const ParamDecl> engine_params() noexcept {
  return params;
}

}  // namespace tessera
