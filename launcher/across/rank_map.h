// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose hosts the user says one by one: --rankfile, -rankmap, --map-by seq.
#pragma once
//
// Contract. Pure functions. Hosts are numbered here in the order of their first ranks, so that the
// first one has rank 0. Failures are fit for the user; of a rank file they name the line.
//
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/across/engine.h"
#include "launcher/across/rank_file.h"
#include "launcher/command_line.h"
#include "launcher/hosts.h"
#include "tessera/status.h"

namespace tessera::launcher::across {

struct RankMap {
  std::vector<Share> shares;
  std::vector<std::uint32_t> nodes;  // by rank: its share
  std::vector<RankSlots> slots;      // by rank; empty: nobody is bound
};

bool asks_rank_map(const CommandLine& line) noexcept;

// Of options that say the same twice. argument: their names.
Status check_rank_map(const CommandLine& line);

// The hosts of a rank file, for users who name them nowhere else. argument: one is relative.
Result<HostList> hosts_of(const std::string& path, const std::vector<RankLine>& lines);

// `hosts`: what relative names and numbers count; `lines`: of the rank file. `ranks`: 0: as many as
// there are lines, entries, or places of the map. `limited`: slots are what there is.
Result<RankMap> map_ranks(const CommandLine& line, const HostList& hosts,
                          const std::vector<RankLine>& lines, std::uint32_t ranks, bool limited);

}  // namespace tessera::launcher::across
