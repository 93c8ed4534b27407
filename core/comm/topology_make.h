// SPDX-License-Identifier: BSD-3-Clause
// Communicators with a topology. Source: MPI-5.0 chapter 8.
#pragma once

#include <span>
#include <vector>

#include "core/comm/communicator.h"
#include "core/comm/topology.h"

namespace tessera {

// For each rank of comm, its node in a Cartesian topology or a graph; ranks from nodes() on are
// left out. Without `reorder`, or when no topo component knows better, the ranks themselves.
// `weights` are those of the edges of a graph, in their order; none: all 1. Collective over comm.
Result<std::vector<int>> place(Comm& comm, const Topology& topology, bool reorder,
                               std::span<const int> weights = {});

// Collective over comm; null result where there is no node left. `topology` is right for comm.
Result<Comm*> make_placed(Comm& comm, Topology topology, bool reorder);

// The part of a Cartesian communicator that keeps the dimensions marked in `remain`. Collective
// over comm.
Result<Comm*> make_sub_grid(Comm& comm, const std::vector<bool>& remain);

// The same processes with a distributed graph; sources and destinations are those of this process.
// With `reorder` they go to the process that gets its rank (MPI-5.0 §8.5.4), and all processes
// gather the whole graph. Collective over comm.
Result<Comm*> make_adjacent(Comm& comm, Topology topology, bool reorder);

struct WeightedEdge {
  int source;
  int destination;
  int weight;
};
// The same, from edges that each process names some of, whoever they concern. Collective over comm.
Result<Comm*> make_distributed(Comm& comm, std::span<const WeightedEdge> edges, bool weighted,
                               bool reorder);

}  // namespace tessera
