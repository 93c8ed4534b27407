// SPDX-License-Identifier: BSD-3-Clause
// Places the ranks of a command line on this machine.
#include "launcher/placement/arrange.h"

#include <fmt/format.h>

#include "core/machine/usable_cpus.h"
#include "launcher/hosts.h"
#include "launcher/placement/picture.h"

namespace tessera::launcher {
namespace {

std::uint32_t ranks_of(const CommandLine& line) {
  std::uint32_t ranks = 0;
  for (const App& app : line.apps) ranks += app.ranks;
  return ranks;
}

std::vector<std::string> programs_of(const CommandLine& line) {
  std::vector<std::string> programs;
  for (const App& app : line.apps) programs.insert(programs.end(), app.ranks, app.words.front());
  return programs;
}

}  // namespace

Result<Arrangement> Arrangement::read(const PlacementRequest& request) {
  Arrangement arrangement;
  arrangement.request_ = request;
  if (!request.asked()) return arrangement;
  auto cpus = read_cpu_map();
  if (!cpus.ok()) return cpus.status();
  arrangement.cpus_ = std::move(cpus).value();
  return arrangement;
}

std::uint32_t Arrangement::default_ranks() const {
  return cpus_ ? ranks_of_placement(*cpus_, request_) : 0;
}

Status Arrangement::make_plan(const CommandLine& line, std::uint32_t slots) {
  const std::uint32_t ranks = ranks_of(line);
  const std::uint32_t room = slots != 0 ? slots : usable_cpus();
  if (!request_.oversubscribe && ranks > room && (!cpus_ || cpus_->this_machine))
    return Status::failure(
        Errc::argument,
        fmt::format("{} ranks do not fit: nooversubscribe was asked for, and there {} {} slot{}",
                    ranks, room == 1 ? "is" : "are", room, room == 1 ? "" : "s"));
  if (!cpus_ && request_.ranking != Ranking::as_mapped) plan_.notes.emplace_back(kNotBound);
  if (!cpus_) return {};
  auto plan = plan_placement(*cpus_, request_, ranks);
  if (!plan.ok()) return plan.status();
  plan_ = std::move(plan).value();
  if (!plan_.binds() || cpus_->this_machine || request_.dry_run) return {};
  return Status::failure(Errc::unsupported,
                         "hwloc describes another machine (HWLOC_SYNTHETIC or HWLOC_XMLFILE is "
                         "set): ranks cannot be bound to its CPUs; --dry-run shows the map");
}

std::string Arrangement::bindings(std::span<const std::uint32_t> numbers) const {
  return request_.report_bindings ? report_bindings(*cpus_, plan_, "mpiexec: ", numbers) : "";
}

std::string Arrangement::map_and_allocation(const CommandLine& line,
                                            std::span<const std::uint32_t> numbers) const {
  std::string text;
  if (request_.display_allocation)
    text += fmt::format("Allocation: {}, {} CPUs\n", host_name(), cpus_->cpus.size());
  if (request_.display_map || request_.dry_run)
    text += draw_map(*cpus_, plan_, host_name(), programs_of(line), numbers);
  return text;
}

}  // namespace tessera::launcher
