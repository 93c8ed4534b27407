// SPDX-License-Identifier: BSD-3-Clause
// Orders in which nodes of a topology may be laid onto processes, and what each costs.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/topo.h"

namespace tessera::topo::basic {

// node_of[r]: the node of old rank r; ranks beyond the topology get nodes beyond it.
using Mapping = std::vector<int>;

// The sum over all edges of weight times distance of the processes at both ends.
std::int64_t cost(const Question& question, const Mapping& node_of);

// Node i stays with rank i.
Mapping identity(const Question& question);

// Processes sorted by location receive the nodes in the order of a walk that keeps neighbours
// close: breadth-first over the edges, from a node of least degree. (The classic bandwidth-reducing
// order: E. Cuthill, J. McKee, 1969.)
Mapping breadth_first(const Question& question);

}  // namespace tessera::topo::basic
