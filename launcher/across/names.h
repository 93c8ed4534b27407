// SPDX-License-Identifier: BSD-3-Clause
// Short forms in which lists of hosts and counts are written: "node[01-04,7]:2,big", "2(x3),1".
#pragma once
//
// Contract. Pure functions. A range keeps its leading zeros: node[08-10] is node08, node09, node10.
// Square brackets that hold anything but numbers and ranges belong to the name.
//
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera::launcher::across {

// The entries of a comma list, with their ranges written out; empty entries are left out. argument:
// a bracket is not closed, a range counts down, or the list has more than 65,536 hosts.
Result<std::vector<std::string>> expand_hosts(std::string_view list);

// "2(x3),1" is 2, 2, 2, 1, as in SLURM_TASKS_PER_NODE.
Result<std::vector<std::uint32_t>> expand_counts(std::string_view list);

// Words of a line of a file, without its comment; "slots = 4" is one as well as "slots=4".
std::vector<std::string> words_of_line(std::string_view line);

}  // namespace tessera::launcher::across
