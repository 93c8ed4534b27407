// SPDX-License-Identifier: BSD-3-Clause
// Options about the places of ranks on this machine.
#include "framework/text.h"
#include "launcher/count.h"
#include "launcher/options/parts.h"

namespace tessera::launcher {
namespace {

Dialect dialect_of(const OptionUse& use) noexcept {
  return use.spelled.substr(0, 2) == "--" ? Dialect::open_mpi : Dialect::hydra;
}

Status named(const OptionUse& use, const Status& status) {
  return status.ok() ? status : bad_value(use, status.text());
}

// ":oversubscribe" says the same as --oversubscribe.
Status map_by(const OptionUse& use) {
  if (text::lower(use.values[0]).find(":oversubscribe") != std::string::npos)
    use.line.oversubscribes = true;
  return named(use, read_map_by(use.line.placement, use.values[0], dialect_of(use)));
}
Status rank_by(const OptionUse& use) {
  return named(use, read_rank_by(use.line.placement, use.values[0]));
}
Status bind_to(const OptionUse& use) {
  return named(use, read_bind_to(use.line.placement, use.values[0]));
}
Status cpu_set(const OptionUse& use) {
  return named(use, read_cpu_set(use.line.placement, use.values[0]));
}

Status rank_file(const OptionUse& use) {
  return use.line.placement.rank_file = use.values[0], Status();
}
Status rank_map(const OptionUse& use) {
  return use.line.placement.rank_map = use.values[0], Status();
}

Status cpus_per_rank(const OptionUse& use) {
  return named(use, read_map_by(use.line.placement, ":pe=" + use.values[0], Dialect::open_mpi));
}
Status per_package(const OptionUse& use) {
  return named(
      use, read_map_by(use.line.placement, "ppr:" + use.values[0] + ":package", Dialect::open_mpi));
}
Status per_resource(const OptionUse& use) {
  return named(use, read_map_by(use.line.placement, "ppr:" + use.values[0], Dialect::open_mpi));
}

// "bycore" and "bind-to-core" say the same as "--map-by core" and "--bind-to core".
Status map_short(const OptionUse& use) {
  const std::string_view unit = use.spelled.substr(use.spelled.rfind("by") + 2);
  return named(use, read_map_by(use.line.placement, unit, Dialect::open_mpi));
}
Status bind_short(const OptionUse& use) {
  const std::string_view unit = use.spelled.substr(use.spelled.rfind('-') + 1);
  return named(use, read_bind_to(use.line.placement, unit));
}

Status oversubscribe(const OptionUse& use) {
  use.line.placement.oversubscribe = use.line.oversubscribes = true;
  return {};
}

// Hydra's words: as many as there are CPUs, which is the default; as many as one likes.
Status universe(const OptionUse& use) {
  constexpr std::uint32_t kInfinite = 1U << 16;
  const std::string word = text::lower(use.values[0]);
  if (word == "system") return {};
  if (word == "infinite") return use.line.universe = kInfinite, Status();
  auto count = parse_count(word);
  if (!count.ok())
    return bad_value(use, std::string(count.status().text()) + ", nor system or infinite");
  return use.line.universe = *count, Status();
}

template <bool PlacementRequest::*Flag, bool Value = true>
Status set_place(const OptionUse& use) {
  use.line.placement.*Flag = Value;
  return {};
}

Status display_word(PlacementRequest& request, std::string_view word) {
  if (word == "map" || word == "map-devel") return request.display_map = true, Status();
  if (word == "bind" || word == "bindings") return request.report_bindings = true, Status();
  if (word == "allocation" || word == "alloc") return request.display_allocation = true, Status();
  return Status::failure(Errc::argument,
                         "'" + std::string(word) + "' is none of map, bind, allocation");
}

Status display(const OptionUse& use) {
  for (std::string_view word : text::split(use.values[0], ','))
    if (const Status status = display_word(use.line.placement, word); !status.ok())
      return bad_value(use, status.text());
  return {};
}

constexpr Option kPlacement[] = {
    {"map-by", "WHAT", map_by,
     "The CPUs that ranks get in turn: slot, hwthread, core, l1cache, l2cache, l3cache, numa, "
     "package "
     "(socket), node, ppr:N:RESOURCE, seq (an entry of --host or --hostfile for each rank), "
     "rankfile:file=FILE; then :pe=N, :oversubscribe, :nooversubscribe. With two "
     "dashes "
     "ranks are bound to it; with one only --bind-to binds."},
    {"rank-by", "WHAT", rank_by,
     "Number ranks in the order of mapping (slot); or one on each object in turn (core, package "
     "...); or all of one object before those of the next (fill)."},
    {"bind-to", "WHAT", bind_to,
     "Keep each rank on a hwthread, core, l1cache, l2cache, l3cache, numa, package (socket), or "
     "none (the default); core:2 means two of them, user:0+2,1+3 these CPUs; then "
     ":overload-allowed, :if-supported, :report."},
    {"rankfile rf", "FILE", rank_file,
     "Read from FILE on which host each rank runs and to what it is bound: lines such as 'rank "
     "0=HOST slot=1:0-2' (package:cores) or 'rank 1=+n0 slot=3'. Their number is the default of "
     "-n."},
    {"rankmap", "VECTOR", rank_map,
     "Put ranks on hosts by a list: (vector,(HOST,HOSTS,RANKS),...), from host number HOST on "
     "RANKS on each of HOSTS hosts, and again from the first."},
    {"cpu-set cpu-list", "LIST", cpu_set,
     "Use only these cores (with --use-hwthread-cpus: hwthreads) by their logical numbers, such as "
     "0-3,6."},
    {"cpus-per-proc cpus-per-rank", "N", cpus_per_rank, "Bind each rank to N cores."},
    {"npersocket", "N", per_package, "As --map-by ppr:N:package."},
    {"ppr", "N:RESOURCE", per_resource, "As --map-by ppr:N:RESOURCE."},
    {"bycore bynode bysocket byslot", "", map_short, "As --map-by core, and so on."},
    {"bind-to-core bind-to-socket bind-to-none", "", bind_short, "As --bind-to core, and so on."},
    {"use-hwthread-cpus", "", set_place<&PlacementRequest::hwthreads>,
     "Count hardware threads as CPUs, not cores."},
    {"oversubscribe", "", oversubscribe,
     "Allow more ranks than CPUs (the default), and than the slots of --host and --hostfile."},
    {"nooversubscribe no-oversubscribe", "", set_place<&PlacementRequest::oversubscribe, false>,
     "Refuse more ranks than CPUs, or than slots of the host file."},
    {"usize", "N", universe,
     "The value of MPI_UNIVERSE_SIZE, unless there are more ranks; by default the slots of --host "
     "and --hostfile, or the CPUs. It limits nothing."},
    {"report-bindings", "", set_place<&PlacementRequest::report_bindings>,
     "Draw on standard error to which CPUs each rank is bound."},
    {"display-map", "", set_place<&PlacementRequest::display_map>,
     "Print where each rank is before it starts."},
    {"display-allocation", "", set_place<&PlacementRequest::display_allocation>,
     "Print how many CPUs there are."},
    {"display", "WORDS", display, "A comma list of map, bind, allocation."},
    {"dry-run do-not-launch", "", set_place<&PlacementRequest::dry_run>,
     "Print the map and start nothing."},
};

}  // namespace

std::span<const Option> placement_options() noexcept {
  return kPlacement;
}

}  // namespace tessera::launcher
