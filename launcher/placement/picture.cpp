// SPDX-License-Identifier: BSD-3-Clause
// Draws the CPUs of ranks.
#include "launcher/placement/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace tessera::launcher {
namespace {

bool has(const RankPlace& place, const Cpu& cpu) {
  return std::binary_search(place.cpus.begin(), place.cpus.end(), cpu.number);
}

// "0-3,6"
std::string ranges(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

bool several(const std::string& numbers) {
  return numbers.find_first_of("-,") != std::string::npos;
}

std::string objects(const CpuMap& map, const RankPlace& place, Level level) {
  std::vector<std::int64_t> numbers;
  for (const Cpu& cpu : map.cpus)
    if (has(place, cpu)) numbers.push_back(cpu.object(level));
  const std::string text = ranges(numbers);
  return fmt::format("{}{} {}", name_of(level), several(text) ? "s" : "", text);
}

const char* between(const Cpu& before, const Cpu& after) {
  if (before.object(Level::package) != after.object(Level::package)) return "][";
  if (before.object(Level::l3) != after.object(Level::l3)) return "|";
  const bool cores = before.object(Level::core) != Cpu::kNone;
  return !cores || before.object(Level::core) != after.object(Level::core) ? "/" : "";
}

std::size_t number_of(std::size_t rank, std::span<const std::uint32_t> numbers) {
  return numbers.empty() ? rank : numbers[rank];
}

}  // namespace

std::string draw(const CpuMap& map, const RankPlace& place) {
  std::string text = "[";
  for (std::size_t i = 0; i < map.cpus.size(); ++i) {
    if (i > 0) text += between(map.cpus[i - 1], map.cpus[i]);
    text += has(place, map.cpus[i]) ? 'B' : '.';
  }
  return text + "]";
}

std::string describe(const CpuMap& map, const RankPlace& place) {
  if (place.cpus.empty()) return "not bound";
  std::string text;
  for (const Level level : {Level::package, Level::core})
    if (map.has(level)) text += objects(map, place, level) + " ";
  const std::string cpus = ranges({place.cpus.begin(), place.cpus.end()});
  return text + fmt::format("(cpu{} {})", several(cpus) ? "s" : "", cpus);
}

std::string report_bindings(const CpuMap& map, const PlacementPlan& plan, const std::string& prefix,
                            std::span<const std::uint32_t> numbers) {
  std::string text;
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    const RankPlace& place = plan.places[rank];
    text += fmt::format("{}rank {}: {} {}\n", prefix, number_of(rank, numbers),
                        describe(map, place), draw(map, place));
  }
  return text;
}

std::string draw_map(const CpuMap& map, const PlacementPlan& plan, const std::string& host,
                     const std::vector<std::string>& programs,
                     std::span<const std::uint32_t> numbers) {
  std::string text = fmt::format("Map of {} rank{} on {}\n", plan.places.size(),
                                 plan.places.size() == 1 ? "" : "s", host);
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    const RankPlace& place = plan.places[rank];
    text += fmt::format("  rank {}: {}, {} {}\n", number_of(rank, numbers), programs[rank],
                        describe(map, place), draw(map, place));
  }
  return text;
}

}  // namespace tessera::launcher
