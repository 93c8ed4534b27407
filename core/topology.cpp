// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of Cartesian coordinates.
#include "core/topology.h"

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

}  // namespace tessera
