// SPDX-License-Identifier: BSD-3-Clause
// The schedules of all ranks that are simulated, each send joined to its receive: Plan.
#pragma once

#include "tools/schedules/symmetry.h"

namespace tessera::coll::schedules {

struct Plan {
  struct Step {
    double bytes = 0;  // of the message, or of what is written
    std::uint32_t rank = 0;
    int peer = 0;
    std::uint32_t predecessors = 0;
    std::uint32_t first_edge = 0;  // to the first edge of the next step
    std::uint32_t match = 0;       // of a send: its receive; of a receive: its send
    StepKind kind = StepKind::copy;
    std::uint8_t level = 0;  // of the machine
  };
  struct Edge {
    std::uint32_t step;
    bool issue_only;
  };
  std::vector<Step> steps;  // rank after rank; one more at the end
  std::vector<Edge> edges;
  std::vector<std::uint32_t> first;  // per rank; one more at the end

  int ranks() const noexcept { return static_cast<int>(first.size()) - 1; }
  std::size_t size() const noexcept { return steps.size() - 1; }
};

// The representatives under `symmetry`. Where the amounts of data of a send and of the receive that
// it stands for differ, the larger one counts. Messages between two ranks match in the order in
// which they were emitted. Throws BadInput if a message is not received, or there are more than
// 2^32 steps.
Plan make_plan(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
               const Symmetry& symmetry);

}  // namespace tessera::coll::schedules
