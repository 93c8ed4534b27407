// SPDX-License-Identifier: BSD-3-Clause
// Reads lists of slots, and finds their CPUs.
#include "launcher/placement/slot_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "framework/text.h"
#include "launcher/count.h"

namespace tessera::launcher {
namespace {

using Numbers = std::vector<std::uint32_t>;

// "1:0-2"; without a package the numbers are those of the machine. No numbers: all of them.
struct Group {
  bool has_package = false;
  Numbers packages;
  Numbers units;
};

// "*", or "0,2-3"
Status read_numbers(std::string_view text, Numbers& into) {
  if (text == "*") return {};
  for (std::string_view word : text::split(text, ','))
    if (const Status status = parse_cpus(text::trim(word), into); !status) return status;
  return {};
}

Result<std::vector<Group>> read_groups(std::string_view text) {
  std::vector<Group> groups;
  for (std::string_view part : text::split(text, ';')) {
    Group& group = groups.emplace_back();
    const std::size_t colon = part.find(':');
    group.has_package = colon != std::string_view::npos;
    Status status;
    if (group.has_package) status = read_numbers(part.substr(0, colon), group.packages);
    if (status)
      status = read_numbers(group.has_package ? part.substr(colon + 1) : part, group.units);
    if (!status)
      return Status::failure(Errc::argument,
                             fmt::format("slot={}: {}; write CORES or PACKAGE:CORES, such as 0,2-3 "
                                         "or 1:0-2, several of them with ';' between",
                                         text, status.text()));
  }
  return groups;
}

class Finder {
 public:
  Finder(const CpuMap& map, const PlacementRequest& request)
      : map_(map),
        unit_(request.hwthreads || !map.has(Level::core) ? Level::hwthread : Level::core),
        kernel_(request.kernel_numbers) {}

  Result<Numbers> find(std::string_view text) const {
    auto groups = read_groups(text);
    if (!groups.ok()) return groups.status();
    Numbers cpus;
    for (const Group& group : *groups)
      if (const Status status = add(group, cpus); !status) return status;
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    return cpus;
  }

 private:
  using Units = std::map<std::int32_t, Numbers>;  // by logical number

  Status add(const Group& group, Numbers& cpus) const {
    if (!group.has_package) return kernel_ ? add_kernel(group.units, cpus) : add_units(group, cpus);
    if (kernel_)
      return Status::failure(Errc::argument,
                             "with the kernel's numbers of CPUs there is no package");
    const std::vector<std::int32_t> all = packages();
    Numbers chosen = group.packages;
    if (chosen.empty())
      for (const std::int32_t each : all) chosen.push_back(static_cast<std::uint32_t>(each));
    for (const std::uint32_t package : chosen) {
      const auto number = static_cast<std::int32_t>(package);
      if (std::find(all.begin(), all.end(), number) == all.end())
        return none("package", package, all.size());
      if (const Status status = add_of_package(number, group.units, cpus); !status) return status;
    }
    return {};
  }

  Status add_units(const Group& group, Numbers& cpus) const {
    const Units units = units_of([](const Cpu&) { return true; });
    Numbers numbers = group.units;
    if (numbers.empty())
      for (const auto& [number, its] : units) numbers.push_back(static_cast<std::uint32_t>(number));
    for (const std::uint32_t number : numbers) {
      const auto found = units.find(static_cast<std::int32_t>(number));
      if (found == units.end()) return none(name_of(unit_), number, units.size());
      cpus.insert(cpus.end(), found->second.begin(), found->second.end());
    }
    return {};
  }

  // Numbers count the units of the package from 0.
  Status add_of_package(std::int32_t package, const Numbers& numbers, Numbers& cpus) const {
    const Units units =
        units_of([&](const Cpu& cpu) { return cpu.object(Level::package) == package; });
    std::uint32_t index = 0;
    for (const auto& [logical, its] : units) {
      const bool asked = numbers.empty() || std::count(numbers.begin(), numbers.end(), index) > 0;
      if (asked) cpus.insert(cpus.end(), its.begin(), its.end());
      ++index;
    }
    const auto largest = std::max_element(numbers.begin(), numbers.end());
    if (largest == numbers.end() || *largest < index) return {};
    return none(fmt::format("package {} {}", package, name_of(unit_)), *largest, units.size());
  }

  Status add_kernel(const Numbers& numbers, Numbers& cpus) const {
    for (const std::uint32_t number : numbers) {
      const auto found = std::find_if(map_.cpus.begin(), map_.cpus.end(),
                                      [&](const Cpu& cpu) { return cpu.number == number; });
      if (found == map_.cpus.end()) return none("CPU", number, map_.cpus.size());
      for (const Cpu& cpu : map_.cpus)
        if (cpu.object(unit_) == found->object(unit_)) cpus.push_back(cpu.number);
    }
    return {};
  }

  template <class Which>
  Units units_of(Which which) const {
    Units units;
    for (const Cpu& cpu : map_.cpus)
      if (which(cpu)) units[cpu.object(unit_)].push_back(cpu.number);
    return units;
  }

  std::vector<std::int32_t> packages() const {
    std::vector<std::int32_t> all;
    for (const Cpu& cpu : map_.cpus)
      if (std::find(all.begin(), all.end(), cpu.object(Level::package)) == all.end())
        all.push_back(cpu.object(Level::package));
    return all;
  }

  static Status none(std::string_view what, std::uint32_t number, std::size_t count) {
    return Status::failure(
        Errc::argument,
        fmt::format("there is no {} {}: this job may use {} of them", what, number, count));
  }

  const CpuMap& map_;
  Level unit_;
  bool kernel_;
};

}  // namespace

Status check_slots(std::string_view text) {
  return read_groups(text).status();
}

Result<PlacementPlan> plan_slots(const CpuMap& map, const PlacementRequest& request) {
  const Finder finder(map, request);
  PlacementPlan plan;
  for (const RankSlots& rank : request.slots_by_rank) {
    if (rank.slots.empty() || request.binding == Binding::none) {
      plan.places.emplace_back();
      continue;
    }
    auto cpus = finder.find(rank.slots);
    if (!cpus.ok())
      return Status::failure(Errc::argument, fmt::format("{}:{}: {}", request.rank_file, rank.line,
                                                         cpus.status().text()));
    plan.places.push_back({std::move(*cpus)});
  }
  return plan;
}

}  // namespace tessera::launcher
