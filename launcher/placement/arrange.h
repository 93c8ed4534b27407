// SPDX-License-Identifier: BSD-3-Clause
// From the options about places to the plan of this job on this machine: Arrangement.
#pragma once
//
// Contract. Where no option needs the topology, nothing is read and the plan is empty.
//
#include <optional>
#include <span>
#include <string>

#include "launcher/command_line.h"
#include "launcher/placement/plan.h"

namespace tessera::launcher {

class Arrangement {
 public:
  static Result<Arrangement> read(const PlacementRequest& request);

  // Where -n was not said; 0: the options say nothing about it.
  std::uint32_t default_ranks() const;

  // `line` has every number of ranks. `slots`: of host files; 0: none said. Fails as
  // plan_placement() does.
  Status make_plan(const CommandLine& line, std::uint32_t slots);

  // What --report-bindings prints on standard error, and --display-map and --display-allocation
  // on standard output. Empty: nothing.
  // `numbers`: of the ranks in the job; empty: from 0.
  std::string bindings(std::span<const std::uint32_t> numbers = {}) const;
  std::string map_and_allocation(const CommandLine& line,
                                 std::span<const std::uint32_t> numbers = {}) const;

  PlacementPlan& plan() noexcept { return plan_; }

 private:
  PlacementRequest request_;
  std::optional<CpuMap> cpus_;
  PlacementPlan plan_;
};

}  // namespace tessera::launcher
