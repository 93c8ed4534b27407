// SPDX-License-Identifier: BSD-3-Clause
// Options of other launchers that do nothing here, each with the reason.
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "framework/text.h"
#include "launcher/options/parts.h"

namespace tessera::launcher {
namespace {

constexpr auto kIgnored = Option::Effect::ignored;
constexpr auto kRefused = Option::Effect::refused;

// For what holds here without being asked for.
Status holds(const OptionUse&) {
  return {};
}

// A folder that is not there is a slip.
Status prefix(const OptionUse& use) {
  struct stat facts {};
  const std::string& folder = use.values[0];
  if (stat(folder.c_str(), &facts) != 0)
    return bad_value(use, "'" + folder + "': " + strerror(errno));
  return S_ISDIR(facts.st_mode) ? Status() : bad_value(use, "'" + folder + "' is no directory");
}

Status fault_tolerance(const OptionUse& use) {
  const std::string& what = use.values[0];
  if (what == "none" || what == "no" || what == "0") return {};
  return bad_value(use, "'" + what +
                            "' is not supported, only none; --enable-recovery goes on "
                            "when a rank dies");
}

Status personality(const OptionUse& use) {
  const std::string& what = use.values[0];
  if (what == "ompi" || what == "tessera") return {};
  return bad_value(use, "'" + what + "' is not supported, only ompi");
}

Status forwarded(const OptionUse& use) {
  for (std::string_view name : text::split(use.values[0], ',')) {
    if (name.substr(0, 3) == "SIG") name.remove_prefix(3);
    constexpr std::string_view kNames[] = {"INT",  "TERM", "HUP",  "QUIT",
                                           "USR1", "USR2", "TSTP", "CONT"};
    bool known = false;
    for (const std::string_view one : kNames) known = known || one == name;
    if (!known)
      return bad_value(use, "'" + std::string(name) +
                                "' is none of INT, TERM, HUP, QUIT, USR1, USR2, TSTP, CONT, which "
                                "are passed on always");
  }
  return {};
}

constexpr Option kForeign[] = {
    {"allow-run-as-root", "", holds, "Ranks may run as root: always so."},
    {"report-state-on-timeout", "", holds, "--timeout says where each rank is: always so."},
    {"forward-signals", "NAMES", forwarded,
     "Checks the names: INT, TERM, HUP, QUIT, USR1, USR2, TSTP and CONT are passed on always."},
    {"memory-alloc-kinds", "KINDS", holds,
     "A request; the attribute mpi_memory_alloc_kinds says what the library supports."},
    {"with-ft", "none", fault_tolerance, "none, the only value: no fault tolerance of Open MPI."},
    {"personality", "ompi", personality, "ompi, the only value: both dialects are understood."},
    {"prefix", "DIR", prefix, "everything is found from where mpiexec itself lies", kIgnored},
    {"membind", "X", nullptr, "the kernel places memory on the node of the CPU that first uses it",
     kIgnored},
    {"rmk", "X", nullptr, "no resource manager is asked about this machine", kIgnored},
    {"topolib", "X", nullptr, "the topology always comes from hwloc", kIgnored},
    {"iface", "X", nullptr,
     "ranks of this machine use shared memory; parameter btl_tcp_if_include chooses for TCP",
     kIgnored},
    {"nameserver", "X", nullptr, "names of ports are kept by mpiexec itself", kIgnored},
    {"disable-auto-cleanup", "", nullptr,
     "a job never outlives mpiexec; --enable-recovery goes on when a rank dies", kIgnored},
    {"order-nodes", "ORDER", nullptr, "there is one host", kIgnored},
    {"disable-hostname-propagation skip-launch-node", "", nullptr, "it is about several hosts",
     kIgnored},
    {"pmi-port", "", nullptr, "ranks inherit what they need, without PMI", kIgnored},
    {"get-stack-traces", "", nullptr,
     "--timeout says in which MPI call each rank is; gdb -p shows more", kIgnored},
    {"show-progress", "", nullptr, "ranks start at once", kIgnored},
    {"gpus-per-proc gpus-per-rank", "N", nullptr, "devices are not assigned to ranks", kIgnored},
    {"soft", "LIST", nullptr, "-n says how many ranks there are", kIgnored},
    {"arch", "X", nullptr, "all ranks run on this machine, whatever it is", kIgnored},
    {"debug-daemons leave-session-attached", "", nullptr, "there are no daemons", kIgnored},
    {"tmpdir", "DIR", nullptr, "a job makes no temporary files", kIgnored},
    {"prtemca pmixmca", "NAME VALUE", nullptr,
     "it sets a parameter of Open MPI's launcher; --mca sets those of Tessera", kIgnored},
    {"preload-binary preload-files", "", nullptr, "programs are not copied; this machine has them",
     kRefused},
    {"nolocal", "", nullptr, "it excludes this machine, where all ranks run", kRefused},
    {"xterm", "RANKS", nullptr, "start a terminal as the program: mpiexec -n 2 xterm -e ./program",
     kRefused},
    {"xml", "", nullptr, "output has no XML form; --tag-output marks each line", kRefused},
    {"report-uri", "WHERE", nullptr,
     "nobody can connect to mpiexec; --report-pid prints its process id", kRefused},
    {"runtime-options", "X", nullptr,
     "write the options themselves: --enable-recovery, --dry-run, --timeout", kRefused},
};

}  // namespace

std::span<const Option> foreign_options() noexcept {
  return kForeign;
}

}  // namespace tessera::launcher
