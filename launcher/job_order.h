// SPDX-License-Identifier: BSD-3-Clause
// All that the process running the job needs to know.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launcher/command_line.h"
#include "launcher/front.h"
#include "launcher/placement/plan.h"
#include "launcher/program.h"

namespace tessera::launcher {

namespace carrier {
class Carrier;
}

// What one host has of a job over several.
struct HostPart {
  std::vector<std::uint32_t> ids;  // of its ranks, ascending
  std::uint32_t job_size = 0;
  std::uint32_t node = 0;
  std::uint32_t nodes = 1;
  std::uint64_t job_id = 0;
};

struct JobOrder {
  CommandLine line;                                // every App with its number of ranks
  std::vector<std::unique_ptr<Program>> programs;  // one per App; null: it has no ranks here
  std::string snapshot;                            // parameters and catalog, for the ranks
  SignalSetting signals;
  PlacementPlan plan;  // of the job of the command line; spawned ones are not bound
  HostPart part;       // of the same; no ids: all of it runs here
  carrier::Carrier* carrier = nullptr;  // null: this is mpiexec itself, on one machine

  std::uint32_t ranks() const noexcept {
    std::uint32_t sum = 0;
    for (const App& app : line.apps) sum += app.ranks;
    return sum;
  }
};

}  // namespace tessera::launcher
