// SPDX-License-Identifier: BSD-3-Clause
// The virtual topology attached to a communicator. Source: MPI-5.0 chapter 8.
#pragma once

#include <vector>

namespace tessera {

// Plain data; immutable once attached. Which members count depends on `kind`.
class Topology {
 public:
  enum class Kind { cartesian, graph, distributed_graph };
  Kind kind = Kind::cartesian;

  // Cartesian, row-major: the last coordinate varies fastest. Zero dimensions: one process without
  // coordinates.
  std::vector<int> dims;
  std::vector<bool> periods;

  // Graph, the same at all processes: index[i] is the number of neighbours of nodes 0 .. i.
  std::vector<int> index;
  std::vector<int> edges;

  // Of this process, for all kinds, in the order of the neighbourhood collectives; kProcNull beyond
  // a border. Weights are those of a distributed graph.
  std::vector<int> sources;
  std::vector<int> source_weights;
  std::vector<int> destinations;
  std::vector<int> destination_weights;
  bool weighted = false;

  int nodes() const;  // of a Cartesian topology or a graph
  // Those of a node of a Cartesian topology (per dimension the negative and the positive one) or a
  // graph.
  std::vector<int> neighbours_of(int rank) const;
  // Fills in sources and destinations of the process that is node `rank`.
  void settle(int rank);

  std::vector<int> coordinates(int rank) const;
  // Coordinates are taken modulo the extent in periodic dimensions; -1 when outside in another.
  int rank_at(const std::vector<int>& coordinates) const;
};

}  // namespace tessera
