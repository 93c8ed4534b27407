// SPDX-License-Identifier: BSD-3-Clause
// Making Cartesian topologies (MPI-5.0 §8.5.1, §8.5.7, §8.5.8). No dimensions: one process.
#include <fmt/format.h>

#include "api/comm/make.h"
#include "api/comm/topology.h"
#include "core/comm/topology_make.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The extents must be positive and have room in `size` processes.
bool right_dims(Arguments& arguments, int ndims, const int* dims, int size) {
  if (ndims < 0) {
    return arguments.fail(MPI_ERR_DIMS,
                          fmt::format("argument `ndims` is {}; it must not be negative", ndims));
  }
  if (!right_array(arguments, dims, ndims, "dims")) return false;
  long nodes = 1;
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] <= 0) {
      return arguments.fail(
          MPI_ERR_DIMS, fmt::format("argument `dims[{}]` is {}; it must be positive", d, dims[d]));
    }
    nodes *= dims[d];
    if (nodes > size) {
      return arguments.fail(
          MPI_ERR_DIMS,
          fmt::format("the extents in `dims` ask for {} processes or more; the communicator "
                      "has {}",
                      nodes, size));
    }
  }
  return true;
}

bool right_grid(Arguments& arguments, int ndims, const int* dims, const int* periods) {
  return arguments.comm() != nullptr && arguments.intra() &&
         right_dims(arguments, ndims, dims, arguments.comm()->size()) &&
         right_array(arguments, periods, ndims, "periods");
}

Topology grid(int ndims, const int* dims, const int* periods) {
  Topology topology;
  topology.kind = Topology::Kind::cartesian;
  for (int d = 0; d < ndims; ++d) {
    topology.dims.push_back(dims[d]);
    topology.periods.push_back(periods[d] != 0);
  }
  return topology;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Cart_create)
extern "C" int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                                int reorder, MPI_Comm* comm_cart) {
  Arguments arguments("MPI_Cart_create", comm_old);
  if (!right_grid(arguments, ndims, dims, periods) || !arguments.pointer(comm_cart, "comm_cart")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Cart_create", parent);
  return conclude(arguments, parent, make_placed(parent, grid(ndims, dims, periods), reorder != 0),
                  comm_cart);
}

TESSERA_WEAK_ALIAS(MPI_Cart_sub)
extern "C" int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  Arguments arguments("MPI_Cart_sub", comm);
  const Topology* whole = topology_of(arguments, Topology::Kind::cartesian);
  if (whole == nullptr) return arguments.raised();
  const int ndims = static_cast<int>(whole->dims.size());
  if (!right_array(arguments, remain_dims, ndims, "remain_dims") ||
      !arguments.pointer(newcomm, "newcomm")) {
    return arguments.raised();
  }
  std::vector<bool> remain;
  for (int d = 0; d < ndims; ++d) remain.push_back(remain_dims[d] != 0);
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Cart_sub", parent);
  return conclude(arguments, parent, make_sub_grid(parent, remain), newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Cart_map)
extern "C" int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                             int* newrank) {
  Arguments arguments("MPI_Cart_map", comm);
  if (!right_grid(arguments, ndims, dims, periods) || !arguments.pointer(newrank, "newrank")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Cart_map", parent);
  const Topology topology = grid(ndims, dims, periods);
  auto nodes = place(parent, topology, true);
  if (!nodes.ok()) return arguments.raised(nodes.status());
  const int mine = (*nodes)[static_cast<std::size_t>(parent.rank())];
  *newrank = mine < topology.nodes() ? mine : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
