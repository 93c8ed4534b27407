// SPDX-License-Identifier: BSD-3-Clause
// What the environment says of engines around mpiexec: Surroundings.
#pragma once
//
// Contract. Pure: reads through `look` alone. Inside an allocation of Slurm (salloc, sbatch)
// mpiexec starts one job over its hosts. As one of several tasks of an engine it is one of several
// mpiexec, each of which starts a job of its own; then the allocation is not ours to use.
//
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/status.h"

namespace tessera::launcher::across {

struct Allocation {
  std::vector<std::string> hosts;
  std::vector<std::uint32_t> counts;  // of tasks, by host; empty: not told
  std::uint32_t tasks = 0;
};

// mpiexec is one of `copies` that an engine started.
struct Nested {
  std::string engine;  // "srun"
  std::uint32_t copies = 0;
  bool first = false;  // one of them speaks
};

struct Surroundings {
  std::optional<Allocation> allocation;
  std::optional<Nested> nested;
};

using Look = std::function<const char*(const char*)>;  // as getenv

// argument: a variable of Slurm says what no Slurm says.
Result<Surroundings> look_around(const Look& look);

}  // namespace tessera::launcher::across
