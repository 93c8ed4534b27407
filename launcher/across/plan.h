// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a job go: on this machine, or to hosts of an engine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launcher/across/engine.h"
#include "launcher/across/surroundings.h"
#include "launcher/command_line.h"
#include "launcher/hosts.h"
#include "tessera/status.h"

namespace tessera::launcher::across {

struct Plan {
  std::optional<Engine> engine;          // none: this machine, without one
  std::vector<Share> shares;             // of the engine's ranks; empty: it decides
  std::uint32_t ranks = 0;               // where -n was not said; 0: as many as CPUs
  std::uint32_t slots = 0;               // of the hosts; 0: none said
  std::uint32_t per_host = 0;            // ranks; 0: not said
  std::vector<std::uint32_t> nodes;      // by rank: its share; empty: in blocks or in turn
  std::vector<RankSlots> slots_by_rank;  // of a rank file; empty: it binds nobody
  bool carried = false;                  // the engine starts a carrier for each share
  std::string warning;                   // empty: none
};

// Hands `ranks` out to hosts in their order, as many to each as it has slots (`per_host` where that
// is not 0), and again from the first one until all have a place. Neighbouring ranks share a host.
// argument: `limited` and more ranks than slots, or more than the hosts' max_slots.
Result<std::vector<Share>> hand_out(const HostList& hosts, std::uint32_t ranks,
                                    std::uint32_t per_host, bool limited);

// --map-by node: neighbouring ranks are on different hosts, as far as slots permit.
bool goes_in_turn(const CommandLine& line) noexcept;

// Failures are fit for the user; not_found: there is no engine. Which names mean this machine is
// asked of is_this_machine().
Result<Plan> plan_job(const CommandLine& line, const Look& look, const Find& find);

// An option that needs more of other hosts than there is. argument: its name, and why.
Status check_options(const CommandLine& line, bool carried);

}  // namespace tessera::launcher::across
