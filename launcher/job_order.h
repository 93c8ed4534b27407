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

struct JobOrder {
  CommandLine line;                                // every App with its number of ranks
  std::vector<std::unique_ptr<Program>> programs;  // one per App
  std::string snapshot;                            // parameters and catalog, for the ranks
  SignalSetting signals;
  PlacementPlan plan;  // of the job of the command line; spawned ones are not bound

  std::uint32_t ranks() const noexcept {
    std::uint32_t sum = 0;
    for (const App& app : line.apps) sum += app.ranks;
    return sum;
  }
};

}  // namespace tessera::launcher
