// SPDX-License-Identifier: BSD-3-Clause
// Questions to Cartesian topologies (MPI-5.0 §8.5.5, §8.5.6).
#include <fmt/format.h>

#include <algorithm>

#include "api/comm/topology.h"

using namespace tessera;
using namespace tessera::api;

namespace {

const Topology* grid_of(Arguments& arguments) noexcept {
  return topology_of(arguments, Topology::Kind::cartesian);
}

int ndims_of(const Topology& grid) noexcept {
  return static_cast<int>(grid.dims.size());
}

bool right_room(Arguments& arguments, int maxdims, const Topology& grid) {
  return maxdims >= ndims_of(grid) ||
         arguments.fail(MPI_ERR_ARG,
                        fmt::format("argument `maxdims` is {}; the topology has {} dimensions",
                                    maxdims, grid.dims.size()));
}

// Coordinates must lie within the extent in dimensions without period.
bool right_place(Arguments& arguments, const Topology& grid, const int* coords) {
  for (int d = 0; d < ndims_of(grid); ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (grid.periods[i] || (coords[d] >= 0 && coords[d] < grid.dims[i])) continue;
    return arguments.fail(MPI_ERR_ARG,
                          fmt::format("argument `coords[{}]` is {}; valid are 0..{}, since this "
                                      "dimension is not periodic",
                                      d, coords[d], grid.dims[i] - 1));
  }
  return true;
}

// The rank `steps` away along a dimension.
int shifted(const Topology& grid, int rank, int direction, long steps) {
  const auto d = static_cast<std::size_t>(direction);
  std::vector<int> place = grid.coordinates(rank);
  const long extent = grid.dims[d];
  long target = place[d] + steps;
  if (grid.periods[d]) {
    target = ((target % extent) + extent) % extent;
  } else if (target < 0 || target >= extent) {
    return MPI_PROC_NULL;
  }
  place[d] = static_cast<int>(target);
  return grid.rank_at(place);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Cartdim_get)
extern "C" int PMPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  Arguments arguments("MPI_Cartdim_get", comm);
  const Topology* grid = grid_of(arguments);
  if (grid == nullptr || !arguments.pointer(ndims, "ndims")) return arguments.raised();
  *ndims = ndims_of(*grid);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Cart_get)
extern "C" int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  Arguments arguments("MPI_Cart_get", comm);
  const Topology* grid = grid_of(arguments);
  if (grid == nullptr || !right_room(arguments, maxdims, *grid) ||
      !right_array(arguments, dims, ndims_of(*grid), "dims") ||
      !right_array(arguments, periods, ndims_of(*grid), "periods") ||
      !right_array(arguments, coords, ndims_of(*grid), "coords")) {
    return arguments.raised();
  }
  const std::vector<int> place = grid->coordinates(arguments.comm()->rank());
  std::copy(grid->dims.begin(), grid->dims.end(), dims);
  std::copy(grid->periods.begin(), grid->periods.end(), periods);
  std::copy(place.begin(), place.end(), coords);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Cart_rank)
extern "C" int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  Arguments arguments("MPI_Cart_rank", comm);
  const Topology* grid = grid_of(arguments);
  if (grid == nullptr || !right_array(arguments, coords, ndims_of(*grid), "coords") ||
      !right_place(arguments, *grid, coords) || !arguments.pointer(rank, "rank")) {
    return arguments.raised();
  }
  *rank = grid->rank_at(std::vector<int>(coords, coords + ndims_of(*grid)));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Cart_coords)
extern "C" int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  Arguments arguments("MPI_Cart_coords", comm);
  const Topology* grid = grid_of(arguments);
  if (grid == nullptr || !arguments.member(rank, arguments.comm()->size(), MPI_ERR_RANK, "rank") ||
      !right_room(arguments, maxdims, *grid) ||
      !right_array(arguments, coords, ndims_of(*grid), "coords")) {
    return arguments.raised();
  }
  const std::vector<int> place = grid->coordinates(rank);
  std::copy(place.begin(), place.end(), coords);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Cart_shift)
extern "C" int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source,
                               int* rank_dest) {
  Arguments arguments("MPI_Cart_shift", comm);
  const Topology* grid = grid_of(arguments);
  if (grid == nullptr) return arguments.raised();
  if (direction < 0 || direction >= ndims_of(*grid)) {
    arguments.fail(MPI_ERR_DIMS,
                   fmt::format("argument `direction` is {}; the topology has {} dimensions, "
                               "counted from 0",
                               direction, grid->dims.size()));
    return arguments.raised();
  }
  if (!arguments.pointer(rank_source, "rank_source") ||
      !arguments.pointer(rank_dest, "rank_dest")) {
    return arguments.raised();
  }
  const int rank = arguments.comm()->rank();
  *rank_source = shifted(*grid, rank, direction, -static_cast<long>(disp));
  *rank_dest = shifted(*grid, rank, direction, disp);
  return MPI_SUCCESS;
}
