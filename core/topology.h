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

  // Cartesian, row-major: the last coordinate varies fastest. Zero dimensions: one process without coordinates.
  std::vector<int> dims;
  std::vector<bool> periods;

  // Graph, the same at all processes: index[i] is the number of neighbours of nodes 0 .. i.
  std::vector<int> index;
  std::vector<int> edges;

  // Distributed graph, of this process only.
  std::vector<int> sources;
  std::vector<int> source_weights;
  std::vector<int> destinations;
  std::vector<int> destination_weights;
  bool weighted = false;

  std::vector<int> coordinates(int rank) const;
  // Coordinates are taken modulo the extent in periodic dimensions; -1 when outside in another.
  int rank_at(const std::vector<int>& coordinates) const;
};

}  // namespace tessera
