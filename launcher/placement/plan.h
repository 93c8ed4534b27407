// SPDX-License-Identifier: BSD-3-Clause
// Which rank gets which CPUs: PlacementPlan, a function of CPUs, request and number of ranks.
#pragma once
//
// Contract. plan_placement() reads nothing but its arguments. Ranks are mapped to places one after
// the other, numbered (--rank-by), and bound (--bind-to). Without --bind-to a rank is bound to what
// --map-by names (two dashes), to the CPUs of pe=N, or to --cpu-set; and not at all where there are
// more ranks than CPUs. With --bind-to and too few CPUs they are used in turn again, and `notes`
// says so.
//
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/placement/cpu_map.h"
#include "launcher/placement/request.h"

namespace tessera::launcher {

// Where mapping and numbers of ranks have no effect.
inline constexpr const char* kNotBound =
    "ranks are not bound, so it makes no difference how they are mapped; --bind-to binds them";

struct RankPlace {
  std::vector<std::uint32_t> cpus;  // numbers of the kernel, ascending; empty: not bound
};

struct PlacementPlan {
  std::vector<RankPlace> places;   // by rank; empty: nothing was asked
  std::vector<std::string> notes;  // for the user, one line each, without a prefix

  bool binds() const noexcept;
  // How many CPUs the ranks have among them: less than their number if some share one.
  std::uint32_t cpus_in_use() const;
};

// Fails with a text for the user when the machine has no such objects, when a CPU does not exist,
// and when there are more ranks than ppr, or :nooversubscribe, permit.
Result<PlacementPlan> plan_placement(const CpuMap& map, const PlacementRequest& request,
                                     std::uint32_t ranks);

// The number of ranks where none was said: as many as ppr, pe=N or --cpu-set make; 0: none of them
// was said.
std::uint32_t ranks_of_placement(const CpuMap& map, const PlacementRequest& request);

}  // namespace tessera::launcher
