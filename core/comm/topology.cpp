// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of Cartesian coordinates, and neighbours.
#include "core/comm/topology.h"

#include <functional>
#include <numeric>

#include "tessera/comm.h"

namespace tessera {

std::vector<int> Topology::coordinates(int rank) const {
  std::vector<int> result(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    result[d] = rank % dims[d];
    rank /= dims[d];
  }
  return result;
}

int Topology::rank_at(const std::vector<int>& coordinates) const {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    int c = coordinates[d];
    if (periods[d]) c = ((c % dims[d]) + dims[d]) % dims[d];
    if (c < 0 || c >= dims[d]) return -1;
    rank = rank * dims[d] + c;
  }
  return rank;
}

int Topology::nodes() const {
  return kind == Kind::cartesian ? std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>())
                                 : static_cast<int>(index.size());
}

std::vector<int> Topology::neighbours_of(int rank) const {
  if (kind == Kind::graph) {
    const auto node = static_cast<std::size_t>(rank);
    return {edges.begin() + (rank == 0 ? 0 : index[node - 1]), edges.begin() + index[node]};
  }
  std::vector<int> neighbours;
  std::vector<int> place = coordinates(rank);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    for (const int step : {-1, 1}) {
      place[d] += step;
      const int neighbour = rank_at(place);
      neighbours.push_back(neighbour < 0 ? kProcNull : neighbour);
      place[d] -= step;
    }
  }
  return neighbours;
}

void Topology::settle(int rank) {
  if (kind == Kind::distributed_graph) return;
  sources = destinations = neighbours_of(rank);
}

}  // namespace tessera
