// SPDX-License-Identifier: BSD-3-Clause
// Shows where ranks are: --report-bindings, --display-map, --display-allocation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "launcher/placement/cpu_map.h"
#include "launcher/placement/plan.h"

namespace tessera::launcher {

// "[B/.|./.][./.|./.]": a bracket per package, '|' between groups of one L3 cache, '/' between
// cores, a letter per hwthread: B where the rank is bound, '.' elsewhere.
std::string draw(const CpuMap& map, const RankPlace& place);

// "package 1 cores 4-7 (cpus 8-15)", or "not bound".
std::string describe(const CpuMap& map, const RankPlace& place);

// A line per rank, each with `prefix`. `numbers`: of the ranks of `plan` in the job; empty: from 0.
std::string report_bindings(const CpuMap& map, const PlacementPlan& plan, const std::string& prefix,
                            std::span<const std::uint32_t> numbers = {});

// The same with the program of each rank, for --display-map. `programs`: by rank.
std::string draw_map(const CpuMap& map, const PlacementPlan& plan, const std::string& host,
                     const std::vector<std::string>& programs,
                     std::span<const std::uint32_t> numbers = {});

}  // namespace tessera::launcher
