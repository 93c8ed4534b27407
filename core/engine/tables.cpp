// SPDX-License-Identifier: BSD-3-Clause
// The engine's frameworks and parameters, as constants.
#include "core/engine/tables.h"

#include <array>

#include "tessera/boot.h"
#include "tessera/btl.h"
#include "tessera/coll.h"
#include "tessera/data.h"
#include "tessera/io.h"
#include "tessera/osc.h"
#include "tessera/pml.h"
#include "tessera/topo.h"

namespace tessera {
namespace {

constexpr std::array boot_params = {
    ParamDecl{"share", ParamType::text, "yes", "yes,no", "", ParamLevel::user_detail,
              "Under a foreign engine: whether the processes of a host share memory; no where each "
              "has a network namespace of its own. Read from the environment alone."},
    ParamDecl{"patience", ParamType::integer, "300", "1..86400", "seconds", ParamLevel::user_detail,
              "Under a foreign engine: how long the first process of a host waits for the others "
              "to call MPI_Init. Read from the environment alone."},
};

constexpr std::array frameworks = {
    FrameworkInfo{.name = "boot",
                  .interface_number = TESSERA_INTERFACE_boot,
                  .description = "joining the jobs of existing engines: Hydra, Slurm, PRRTE",
                  .shape = Shape::one_winner,
                  .params = boot_params},
    FrameworkInfo{"btl", TESSERA_INTERFACE_btl,
                  "byte transfer layer: transports between two processes", Shape::ranked},
    FrameworkInfo{.name = "coll",
                  .interface_number = TESSERA_INTERFACE_coll,
                  .description = "collective operations, selected per communicator",
                  .shape = Shape::stacked,
                  .uniform = true,
                  .per_communicator = true,
                  .interposers = true},
    FrameworkInfo{.name = "io",
                  .interface_number = TESSERA_INTERFACE_io,
                  .description = "files: storage for MPI-IO",
                  .shape = Shape::per_question,
                  .uniform = true,
                  .interposers = true},
    FrameworkInfo{.name = "op",
                  .interface_number = TESSERA_INTERFACE_op,
                  .description = "reduction loops for predefined operations on basic datatypes",
                  .shape = Shape::per_question,
                  .uniform = true},
    FrameworkInfo{.name = "osc",
                  .interface_number = TESSERA_INTERFACE_osc,
                  .description = "one-sided communication, per window",
                  .shape = Shape::per_question,
                  .uniform = true,
                  .interposers = true},
    FrameworkInfo{.name = "pml",
                  .interface_number = TESSERA_INTERFACE_pml,
                  .description = "point-to-point messaging layer",
                  .shape = Shape::one_winner,
                  .uniform = true},
    FrameworkInfo{.name = "topo",
                  .interface_number = TESSERA_INTERFACE_topo,
                  .description = "process topologies: mapping of ranks to the machine",
                  .shape = Shape::per_question,
                  .uniform = true},
};

constexpr std::array params = {
    ParamDecl{"mpi_argument_check", ParamType::boolean, "true", "", "", ParamLevel::user_detail,
              "Check the arguments of every MPI call. If false, erroneous arguments have undefined "
              "results."},
    ParamDecl{"mpi_partitioned_unit", ParamType::size, "16K", "1..", "bytes",
              ParamLevel::tuner_basic,
              "Smallest message of a partitioned send: consecutive partitions of fewer bytes share "
              "a message, which leaves when all of them are ready."},
    ParamDecl{
        "mpi_partitioned_at_once", ParamType::size, "4M", "0..", "bytes", ParamLevel::tuner_detail,
        "Ready partitions of a send wait while a message of it is on the way, until they have "
        "this size together or all are ready. 0: none waits."},
    ParamDecl{"core_wait", ParamType::text, "adaptive", "adaptive,spin,sleep", "",
              ParamLevel::user_detail,
              "How a rank waits. adaptive: spin, then yield, then block; yield at once if "
              "oversubscribed. spin: never block. sleep: block at once."},
    ParamDecl{
        "core_spin_time", ParamType::integer, "20", "0..1000000", "microseconds",
        ParamLevel::tuner_detail,
        "Idle time after which a waiting rank that is not oversubscribed calls sched_yield. The "
        "default moves with wake_ns of machine_figures."},
    ParamDecl{"core_yield_time", ParamType::integer, "60", "0..1000000", "microseconds",
              ParamLevel::tuner_detail,
              "Idle time after which a waiting rank blocks instead of calling sched_yield. Up to 8 "
              "times longer after short sleeps, if not oversubscribed. The default moves with "
              "wake_ns of machine_figures."},
    ParamDecl{.name = "machine_figures",
              .type = ParamType::text,
              .default_text = "",
              .allowed = "",
              .unit = "",
              .level = ParamLevel::tuner_all,
              .help = "Figures of the machine that replace measured ones: a comma list of "
                      "FIGURE=VALUE, such as line_ns=100,stream=8000. ompi-info --machine lists "
                      "them.",
              .uniform = true},
    ParamDecl{"core_connect_timeout", ParamType::integer, "60", "0..86400", "seconds",
              ParamLevel::user_detail,
              "How long MPI_Comm_connect waits for a process to accept on the port. 0: without "
              "limit. Info key timeout overrides it for one call."},
    ParamDecl{"core_spawn_timeout", ParamType::integer, "0", "0..86400", "seconds",
              ParamLevel::user_detail,
              "How long MPI_Comm_spawn waits for the new processes to call MPI_Init. 0: as long as "
              "they run."},
    ParamDecl{.name = "coll_reproducible",
              .type = ParamType::boolean,
              .default_text = "false",
              .allowed = "",
              .unit = "",
              .level = ParamLevel::user_detail,
              .help = "Reduce in rank order, so that results are bitwise identical whatever the "
                      "algorithm. Slower for long vectors or many ranks.",
              .uniform = true},
    ParamDecl{.name = "coll_rules",
              .type = ParamType::list,
              .default_text = "",
              .allowed = "",
              .unit = "",
              .level = ParamLevel::tuner_basic,
              .help = "Files of collective rules (YAML): which component and algorithm carries out "
                      "which collective operation. They precede the built-in rules, in the order "
                      "given.",
              .uniform = true},
    ParamDecl{.name = "osc_check",
              .type = ParamType::boolean,
              .default_text = "false",
              .allowed = "",
              .unit = "",
              .level = ParamLevel::user_basic,
              .help = "Detect conflicting accesses to windows and wrong assertions of fences: name "
                      "both calls, their ranks and the bytes.",
              .uniform = true},
    ParamDecl{"io_hints", ParamType::text, "", "", "KEY=VALUE,...", ParamLevel::tuner_basic,
              "Hints for every file, such as cb_nodes=2,romio_cb_write=enable; those that the "
              "program gives come after them. MPI_File_get_info returns the keys."},
    ParamDecl{"impi_server", ParamType::text, "", "", "HOST:PORT", ParamLevel::user_basic,
              "Take part in a job of several MPI systems: the address that `impirun -server` has "
              "printed. `impirun -client` sets it."},
    ParamDecl{"impi_rank", ParamType::integer, "0", "0..31", "", ParamLevel::user_basic,
              "Number of this system in a job of several; its ranks follow those of the systems "
              "with lower numbers in MPI_COMM_WORLD."},
    ParamDecl{"impi_auth", ParamType::text, "", "", "", ParamLevel::user_detail,
              "Methods of authentication towards the server, as numbers and ranges: \"1,0\". "
              "Empty: all that are enabled."},
    ParamDecl{"impi_trace", ParamType::text, "", "", "", ParamLevel::developer_basic,
              "File for a trace of the packets between systems. Empty: none."},
    ParamDecl{"impi_address", ParamType::text, "", "", "", ParamLevel::user_detail,
              "Address of this machine at which processes of other systems connect. Empty: the "
              "one from which the server is reached."},
    ParamDecl{"impi_patience", ParamType::integer, "300", "1..86400", "seconds",
              ParamLevel::user_detail,
              "How long to wait for the server and the other systems at the start."},
    ParamDecl{
        "impi_datalen", ParamType::integer, "262144", "1..1073741824", "bytes",
        ParamLevel::tuner_detail,
        "Most user data in a packet between systems; the lowest value of all systems counts."},
    ParamDecl{"impi_ackmark", ParamType::integer, "10", "1..1000000", "", ParamLevel::tuner_detail,
              "Packets from one process to another of a different system that an acknowledgement "
              "stands for; the lowest value of all systems counts."},
    ParamDecl{"impi_hiwater", ParamType::integer, "20", "1..1000000", "", ParamLevel::tuner_detail,
              "Most packets from one process to another of a different system without "
              "acknowledgement; the lowest value of all systems counts."},
    ParamDecl{"impi_coll_xsize", ParamType::integer, "-1", "-1..2147483647", "bytes",
              ParamLevel::tuner_detail,
              "Size from which collective operations between systems send blocks directly. Equal "
              "in all systems; -1: 1024."},
    ParamDecl{"impi_coll_maxlinear", ParamType::integer, "-1", "-1..2147483647", "",
              ParamLevel::tuner_detail,
              "Number of systems up to which collective operations are linear, not a tree. Equal "
              "in all systems; -1: 4."},
    ParamDecl{
        "impi_lam", ParamType::boolean, "false", "", "", ParamLevel::tuner_detail,
        "Another system of this job is LAM/MPI, which sends reductions with the context id of "
        "point-to-point messages: do so too. Equal in all systems."},
    ParamDecl{
        "impi_free_collectives", ParamType::boolean, "false", "", "", ParamLevel::user_detail,
        "Let collective operations between systems of ours take the levels of coll/hierarchy in "
        "place of the algorithms of the protocol. Counts where all systems are ours and have it."},
    ParamDecl{"core_explain", ParamType::list, "", "all,summary,select,coll,json", "",
              ParamLevel::user_basic,
              "Report on standard error, once and from rank 0, what was selected and why. summary: "
              "transports and collective algorithms in short. select: components. coll: collective "
              "algorithms. all: everything. json: machine-readable."},
};

}  // namespace

std::span<const FrameworkInfo> engine_frameworks() noexcept {
  return frameworks;
}
std::span<const ParamDecl> engine_params() noexcept {
  return params;
}

}  // namespace tessera
