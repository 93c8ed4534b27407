// SPDX-License-Identifier: BSD-3-Clause
// Graph topologies (MPI-5.0 §8.5.3, §8.5.5, §8.5.8).
#include <fmt/format.h>

#include <algorithm>

#include "api/comm/make.h"
#include "api/comm/topology.h"
#include "core/comm/topology_make.h"

using namespace tessera;
using namespace tessera::api;

namespace {

bool right_index(Arguments& arguments, int nnodes, const int* index) {
  for (int i = 0; i < nnodes; ++i) {
    if (index[i] >= (i == 0 ? 0 : index[i - 1])) continue;
    return arguments.fail(MPI_ERR_ARG,
                          fmt::format("argument `index[{}]` is {}; the numbers must not be "
                                      "negative nor become smaller",
                                      i, index[i]));
  }
  return true;
}

bool right_edges(Arguments& arguments, int nnodes, int nedges, const int* edges) {
  for (int i = 0; i < nedges; ++i) {
    if (edges[i] >= 0 && edges[i] < nnodes) continue;
    return arguments.fail(MPI_ERR_ARG, fmt::format("argument `edges[{}]` is {}; valid are 0..{}", i,
                                                   edges[i], nnodes - 1));
  }
  return true;
}

bool right_graph(Arguments& arguments, int nnodes, const int* index, const int* edges) {
  if (arguments.comm() == nullptr || !arguments.intra()) return false;
  if (nnodes < 0 || nnodes > arguments.comm()->size()) {
    return arguments.fail(MPI_ERR_ARG, fmt::format("argument `nnodes` is {}; valid are 0..{}",
                                                   nnodes, arguments.comm()->size()));
  }
  if (!right_array(arguments, index, nnodes, "index") || !right_index(arguments, nnodes, index))
    return false;
  const int nedges = nnodes > 0 ? index[nnodes - 1] : 0;
  return right_array(arguments, edges, nedges, "edges") &&
         right_edges(arguments, nnodes, nedges, edges);
}

Topology graph(int nnodes, const int* index, const int* edges) {
  Topology topology;
  topology.kind = Topology::Kind::graph;
  if (nnodes == 0) return topology;
  topology.index.assign(index, index + nnodes);
  topology.edges.assign(edges, edges + index[nnodes - 1]);
  return topology;
}

const Topology* graph_of(Arguments& arguments) noexcept {
  return topology_of(arguments, Topology::Kind::graph);
}

bool right_room(Arguments& arguments, int room, std::size_t needed, const char* name) {
  return (room >= 0 && static_cast<std::size_t>(room) >= needed) ||
         arguments.fail(MPI_ERR_ARG, fmt::format("argument `{}` is {}; it must be at least {}",
                                                 name, room, needed));
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Graph_create)
extern "C" int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[],
                                 const int edges[], int reorder, MPI_Comm* comm_graph) {
  Arguments arguments("MPI_Graph_create", comm_old);
  if (!right_graph(arguments, nnodes, index, edges) ||
      !arguments.pointer(comm_graph, "comm_graph")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Graph_create", parent);
  return conclude(arguments, parent, make_placed(parent, graph(nnodes, index, edges), reorder != 0),
                  comm_graph);
}

TESSERA_WEAK_ALIAS(MPI_Graph_map)
extern "C" int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[],
                              int* newrank) {
  Arguments arguments("MPI_Graph_map", comm);
  if (!right_graph(arguments, nnodes, index, edges) || !arguments.pointer(newrank, "newrank")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Graph_map", parent);
  auto nodes = place(parent, graph(nnodes, index, edges), true);
  if (!nodes.ok()) return arguments.raised(nodes.status());
  const int mine = (*nodes)[static_cast<std::size_t>(parent.rank())];
  *newrank = mine < nnodes ? mine : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Graphdims_get)
extern "C" int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  Arguments arguments("MPI_Graphdims_get", comm);
  const Topology* topology = graph_of(arguments);
  if (topology == nullptr || !arguments.pointer(nnodes, "nnodes") ||
      !arguments.pointer(nedges, "nedges")) {
    return arguments.raised();
  }
  *nnodes = topology->nodes();
  *nedges = static_cast<int>(topology->edges.size());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Graph_get)
extern "C" int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  Arguments arguments("MPI_Graph_get", comm);
  const Topology* topology = graph_of(arguments);
  if (topology == nullptr || !right_room(arguments, maxindex, topology->index.size(), "maxindex") ||
      !right_room(arguments, maxedges, topology->edges.size(), "maxedges") ||
      !right_array(arguments, index, topology->nodes(), "index") ||
      !right_array(arguments, edges, static_cast<int>(topology->edges.size()), "edges")) {
    return arguments.raised();
  }
  std::copy(topology->index.begin(), topology->index.end(), index);
  std::copy(topology->edges.begin(), topology->edges.end(), edges);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Graph_neighbors_count)
extern "C" int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  Arguments arguments("MPI_Graph_neighbors_count", comm);
  const Topology* topology = graph_of(arguments);
  if (topology == nullptr ||
      !arguments.member(rank, arguments.comm()->size(), MPI_ERR_RANK, "rank") ||
      !arguments.pointer(nneighbors, "nneighbors")) {
    return arguments.raised();
  }
  *nneighbors = static_cast<int>(topology->neighbours_of(rank).size());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Graph_neighbors)
extern "C" int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  Arguments arguments("MPI_Graph_neighbors", comm);
  const Topology* topology = graph_of(arguments);
  if (topology == nullptr ||
      !arguments.member(rank, arguments.comm()->size(), MPI_ERR_RANK, "rank")) {
    return arguments.raised();
  }
  const std::vector<int> all = topology->neighbours_of(rank);
  if (!right_room(arguments, maxneighbors, all.size(), "maxneighbors") ||
      !right_array(arguments, neighbors, static_cast<int>(all.size()), "neighbors")) {
    return arguments.raised();
  }
  std::copy(all.begin(), all.end(), neighbors);
  return MPI_SUCCESS;
}
