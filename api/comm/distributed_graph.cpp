// SPDX-License-Identifier: BSD-3-Clause
// Distributed graph topologies (MPI-5.0 §8.5.4, §8.5.5).
#include <fmt/format.h>

#include <algorithm>

#include "api/comm/make.h"
#include "api/comm/topology.h"
#include "core/comm/topology_make.h"

using namespace tessera;
using namespace tessera::api;

namespace {

bool right_degree(Arguments& arguments, int degree, const char* name) {
  return degree >= 0 ||
         arguments.fail(MPI_ERR_ARG,
                        fmt::format("argument `{}` is {}; it must not be negative", name, degree));
}

bool right_ranks(Arguments& arguments, const int* ranks, int n, const char* name) {
  if (!right_array(arguments, ranks, n, name)) return false;
  const int size = arguments.comm()->size();
  for (int i = 0; i < n; ++i) {
    if (ranks[i] >= 0 && ranks[i] < size) continue;
    return arguments.fail(MPI_ERR_RANK, fmt::format("argument `{}[{}]` is {}; valid are 0..{}",
                                                    name, i, ranks[i], size - 1));
  }
  return true;
}

bool right_weights(Arguments& arguments, const int* weights, int n, const char* name) {
  if (weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY) {
    return n == 0 || weights == MPI_UNWEIGHTED ||
           arguments.fail(
               MPI_ERR_ARG,
               fmt::format("argument `{}` is MPI_WEIGHTS_EMPTY although there are edges", name));
  }
  if (!right_array(arguments, weights, n, name)) return false;
  const int* negative = std::find_if(weights, weights + n, [](int weight) { return weight < 0; });
  return negative == weights + n ||
         arguments.fail(MPI_ERR_ARG,
                        fmt::format("argument `{}[{}]` is {}; weights must not be negative", name,
                                    negative - weights, *negative));
}

// One list of neighbours as the user gave it.
struct Neighbours {
  int degree;
  const int* ranks;
  const int* weights;
  const char* degree_name;
  const char* ranks_name;
  const char* weights_name;
};

bool right(Arguments& arguments, const Neighbours& list) {
  return right_degree(arguments, list.degree, list.degree_name) &&
         right_ranks(arguments, list.ranks, list.degree, list.ranks_name) &&
         right_weights(arguments, list.weights, list.degree, list.weights_name);
}

bool weighted(const int* weights) noexcept {
  return weights != MPI_UNWEIGHTED;
}

void fill(const Neighbours& list, std::vector<int>& ranks, std::vector<int>& weights) {
  ranks.assign(list.ranks, list.ranks + list.degree);
  if (list.degree > 0 && weighted(list.weights)) {
    weights.assign(list.weights, list.weights + list.degree);
  } else {
    weights.assign(ranks.size(), 1);
  }
}

// The edges that this process names, as many as the degrees say; none, with the report kept, if one
// is wrong.
std::vector<WeightedEdge> edges_of(int n, const int* sources, const int* degrees,
                                   const int* destinations, const int* weights) {
  std::vector<WeightedEdge> edges;
  for (int i = 0, next = 0; i < n; ++i) {
    for (int j = 0; j < degrees[i]; ++j, ++next) {
      edges.push_back({sources[i], destinations[next], weighted(weights) ? weights[next] : 1});
    }
  }
  return edges;
}

bool right_degrees(Arguments& arguments, int n, const int* degrees, int& total) {
  if (!right_degree(arguments, n, "n") || !right_array(arguments, degrees, n, "degrees"))
    return false;
  for (int i = 0; i < n; ++i) {
    if (!right_degree(arguments, degrees[i], "degrees")) return false;
    total += degrees[i];
  }
  return true;
}

// As many as there is room for.
void store(const std::vector<int>& from, int room, int* to) {
  std::copy_n(from.begin(), std::min(static_cast<std::size_t>(room), from.size()), to);
}

bool wanted(const int* weights) noexcept {
  return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY && weights != nullptr;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Dist_graph_create_adjacent)
extern "C" int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                               const int sourceweights[], int outdegree,
                                               const int destinations[], const int destweights[],
                                               MPI_Info info, int reorder,
                                               MPI_Comm* comm_dist_graph) {
  constexpr const char* function = "MPI_Dist_graph_create_adjacent";
  Arguments arguments(function, comm_old);
  const Neighbours in{indegree, sources, sourceweights, "indegree", "sources", "sourceweights"};
  const Neighbours out{outdegree,   destinations,   destweights,
                       "outdegree", "destinations", "destweights"};
  if (arguments.comm() == nullptr || !arguments.intra() || !right(arguments, in) ||
      !right(arguments, out) || !right_info(arguments, info) ||
      !arguments.pointer(comm_dist_graph, "comm_dist_graph")) {
    return arguments.raised();
  }
  Topology topology;
  fill(in, topology.sources, topology.source_weights);
  fill(out, topology.destinations, topology.destination_weights);
  topology.weighted = weighted(sourceweights) && weighted(destweights);
  Comm& parent = *arguments.comm();
  BlockingCall call(function, parent);
  return conclude(arguments, parent, make_adjacent(parent, std::move(topology), reorder != 0),
                  comm_dist_graph);
}

TESSERA_WEAK_ALIAS(MPI_Dist_graph_create)
extern "C" int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[],
                                      const int degrees[], const int destinations[],
                                      const int weights[], MPI_Info info, int reorder,
                                      MPI_Comm* comm_dist_graph) {
  constexpr const char* function = "MPI_Dist_graph_create";
  Arguments arguments(function, comm_old);
  int total = 0;
  if (arguments.comm() == nullptr || !arguments.intra() ||
      !right_degrees(arguments, n, degrees, total) ||
      !right_ranks(arguments, sources, n, "sources") ||
      !right_ranks(arguments, destinations, total, "destinations") ||
      !right_weights(arguments, weights, total, "weights") || !right_info(arguments, info) ||
      !arguments.pointer(comm_dist_graph, "comm_dist_graph")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call(function, parent);
  const auto edges = edges_of(n, sources, degrees, destinations, weights);
  return conclude(arguments, parent,
                  make_distributed(parent, edges, weighted(weights), reorder != 0),
                  comm_dist_graph);
}

TESSERA_WEAK_ALIAS(MPI_Dist_graph_neighbors_count)
extern "C" int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree,
                                               int* weighted) {
  Arguments arguments("MPI_Dist_graph_neighbors_count", comm);
  const Topology* topology = topology_of(arguments, Topology::Kind::distributed_graph);
  if (topology == nullptr || !arguments.pointer(indegree, "indegree") ||
      !arguments.pointer(outdegree, "outdegree") || !arguments.pointer(weighted, "weighted")) {
    return arguments.raised();
  }
  *indegree = static_cast<int>(topology->sources.size());
  *outdegree = static_cast<int>(topology->destinations.size());
  *weighted = topology->weighted ? 1 : 0;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Dist_graph_neighbors)
extern "C" int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[],
                                         int sourceweights[], int maxoutdegree, int destinations[],
                                         int destweights[]) {
  Arguments arguments("MPI_Dist_graph_neighbors", comm);
  const Topology* topology = topology_of(arguments, Topology::Kind::distributed_graph);
  if (topology == nullptr || !right_degree(arguments, maxindegree, "maxindegree") ||
      !right_array(arguments, sources, maxindegree, "sources") ||
      !right_degree(arguments, maxoutdegree, "maxoutdegree") ||
      !right_array(arguments, destinations, maxoutdegree, "destinations")) {
    return arguments.raised();
  }
  store(topology->sources, maxindegree, sources);
  store(topology->destinations, maxoutdegree, destinations);
  if (!topology->weighted) return MPI_SUCCESS;
  if (wanted(sourceweights)) store(topology->source_weights, maxindegree, sourceweights);
  if (wanted(destweights)) store(topology->destination_weights, maxoutdegree, destweights);
  return MPI_SUCCESS;
}
