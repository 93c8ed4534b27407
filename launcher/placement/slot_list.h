// SPDX-License-Identifier: BSD-3-Clause
// The CPUs of a rank as rank files write them: "2", "0,2-3", "1:0-2", "1:*", "0:1;1:0".
#pragma once
//
// Contract. Numbers are logical ones, as hwloc counts: of the cores of the machine; behind
// "PACKAGE:" of the cores of that package (the notation of Open MPI). With hwthreads, CPUs are
// hwthreads in place of cores. With kernel_numbers, a number is that of a CPU of the kernel, and
// means the core that the CPU belongs to.
//
#include <string_view>

#include "launcher/placement/cpu_map.h"
#include "launcher/placement/plan.h"
#include "launcher/placement/request.h"

namespace tessera::launcher {

// Whether it is a list of slots at all.
Status check_slots(std::string_view text);

// The places of ranks that `request.slots_by_rank` names. argument: a core or package that this
// job may not use, with the file and line.
Result<PlacementPlan> plan_slots(const CpuMap& map, const PlacementRequest& request);

}  // namespace tessera::launcher
