// SPDX-License-Identifier: BSD-3-Clause
// Which topology a communicator has (MPI-5.0 §8.5.5).
#include "api/comm/topology.h"

#include <fmt/format.h>

using namespace tessera;
using namespace tessera::api;

namespace tessera::api {
namespace {

const char* name_of(Topology::Kind kind) {
  switch (kind) {
    case Topology::Kind::cartesian:
      return "Cartesian topology";
    case Topology::Kind::graph:
      return "graph topology";
    case Topology::Kind::distributed_graph:
      break;
  }
  return "distributed graph topology";
}

}  // namespace

const Topology* topology_of(Arguments& arguments, Topology::Kind kind) noexcept {
  if (arguments.comm() == nullptr) return nullptr;
  const Topology* topology = arguments.comm()->topology();
  if (topology != nullptr && topology->kind == kind) return topology;
  arguments.fail(
      MPI_ERR_TOPOLOGY,
      fmt::format("argument `comm` has {}; it must have a {}",
                  topology == nullptr ? "no topology" : std::string("a ") + name_of(topology->kind),
                  name_of(kind)));
  return nullptr;
}

bool right_array(Arguments& arguments, const void* array, int elements, const char* name) noexcept {
  return array != nullptr || elements <= 0 ||
         arguments.fail(MPI_ERR_ARG,
                        fmt::format("argument `{}` is a null pointer; it must be an array of {} "
                                    "elements",
                                    name, elements));
}

}  // namespace tessera::api

TESSERA_WEAK_ALIAS(MPI_Topo_test)
extern "C" int PMPI_Topo_test(MPI_Comm comm, int* status) {
  Arguments arguments("MPI_Topo_test", comm);
  if (arguments.comm() == nullptr || !arguments.pointer(status, "status"))
    return arguments.raised();
  const Topology* topology = arguments.comm()->topology();
  *status = MPI_UNDEFINED;
  if (topology == nullptr) return MPI_SUCCESS;
  switch (topology->kind) {
    case Topology::Kind::cartesian:
      *status = MPI_CART;
      break;
    case Topology::Kind::graph:
      *status = MPI_GRAPH;
      break;
    case Topology::Kind::distributed_graph:
      *status = MPI_DIST_GRAPH;
      break;
  }
  return MPI_SUCCESS;
}
