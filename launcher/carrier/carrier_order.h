// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec tells the carriers of a job over several hosts: CarrierOrder, and its one-word form.
#pragma once
//
// Contract. Pure functions. The word is the same for all hosts and holds what the user asked for;
// each carrier takes its own part (part_of). It stands on a command line that others can read, so
// no secret is in it.
//
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/across/engine.h"
#include "launcher/command_line.h"
#include "launcher/job_order.h"

namespace tessera::launcher::carrier {

struct CarrierOrder {
  CommandLine line;       // of the whole job; every App with its number of ranks
  std::string directory;  // of mpiexec
  std::vector<across::Share> shares;
  bool in_turn = false;              // rank by rank to the next host
  std::vector<std::uint32_t> nodes;  // by rank: its share; empty: in blocks, or in turn
  std::uint64_t job_id = 0;
};

// base64url; argument: more than the kernel takes as one word of a command line.
Result<std::string> encode(const CarrierOrder& order);
// refused: of another version, or damaged.
Result<CarrierOrder> decode(std::string_view word);

// The node of each rank.
std::vector<std::uint32_t> nodes_of(const CarrierOrder& order);

// Leaves in `line` the ranks of this node, and says which ones they are.
HostPart part_of(const CarrierOrder& order, std::uint32_t node, CommandLine& line);

}  // namespace tessera::launcher::carrier
