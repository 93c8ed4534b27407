// SPDX-License-Identifier: BSD-3-Clause
// Files that say for each rank on which host it runs and to which CPUs it is bound: RankLine.
#pragma once
//
// Contract. The notation is Open MPI's: a line `rank N=HOST slot=SLOTS` for each rank, in any
// order, with comments from '#' on. `+n2` is the third of the hosts that are named elsewhere.
// Without slot= a rank is not bound. Which CPUs SLOTS are is found out on the host
// (placement/slot_list.h).
//
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/status.h"

namespace tessera::launcher::across {

struct RankLine {
  std::string host;  // empty: no line is about this rank
  std::string slots;
  std::uint32_t line = 0;
};

// By rank, up to the highest one. Failures name the file and line.
Result<std::vector<RankLine>> read_rank_file(const std::string& path);

}  // namespace tessera::launcher::across
