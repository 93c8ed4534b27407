// SPDX-License-Identifier: BSD-3-Clause
// Communicators with a topology: new ranks by a split, edges of distributed graphs by an exchange.
#include "core/comm/topology_make.h"

#include <memory>

#include "core/coll/table.h"
#include "core/datatype/predefined.h"

namespace tessera {
namespace {

void attach(Comm& comm, Topology topology) {
  topology.settle(comm.rank());
  comm.set_topology(std::make_unique<Topology>(std::move(topology)));
}

// The topology of the dimensions that remain, and where a process goes: colour by the dimensions
// dropped, key by the others.
struct SubGrid {
  Topology topology;
  int color = 0;
  int key = 0;
};

SubGrid sub_grid(const Topology& whole, int rank, const std::vector<bool>& remain) {
  SubGrid sub;
  const std::vector<int> place = whole.coordinates(rank);
  for (std::size_t d = 0; d < whole.dims.size(); ++d) {
    int& number = remain[d] ? sub.key : sub.color;
    number = number * whole.dims[d] + place[d];
    if (!remain[d]) continue;
    sub.topology.dims.push_back(whole.dims[d]);
    sub.topology.periods.push_back(whole.periods[d]);
  }
  return sub;
}

Status run(Comm& comm, const coll::Call& call) {
  auto table = comm.collectives();
  return table.ok() ? (*table)->run(call) : table.status();
}

using Counts = std::vector<Count>;

coll::Side bytes_of(const void* data) {
  coll::Side side;
  side.buffer = const_cast<void*>(data);
  side.type = &byte_type();
  return side;
}

Result<Counts> exchange_counts(Comm& comm, const Counts& sending) {
  Counts receiving(sending.size());
  coll::Call call(coll::Operation::alltoall, comm);
  call.send = bytes_of(sending.data());
  call.receive = bytes_of(receiving.data());
  call.send.count = call.receive.count = sizeof sending[0];
  if (Status s = run(comm, call); !s) return s;
  return receiving;
}

Counts starts_of(const Counts& counts) {
  Counts starts;
  Count next = 0;
  for (const Count count : counts) {
    starts.push_back(next);
    next += count;
  }
  return starts;
}

// Each edge goes to the process that `owner` names; those that come in, in the order of the
// senders.
template <class Owner>
Result<std::vector<WeightedEdge>> distribute(Comm& comm, std::span<const WeightedEdge> edges,
                                             Owner owner) {
  Counts sending(static_cast<std::size_t>(comm.size()));
  for (const WeightedEdge& edge : edges)
    sending[static_cast<std::size_t>(owner(edge))] += sizeof edge;
  auto receiving = exchange_counts(comm, sending);
  if (!receiving.ok()) return receiving.status();
  const Counts to = starts_of(sending), from = starts_of(*receiving);
  std::vector<WeightedEdge> sorted(edges.size());
  Counts next = to;
  for (const WeightedEdge& edge : edges) {
    Count& place = next[static_cast<std::size_t>(owner(edge))];
    sorted[static_cast<std::size_t>(place) / sizeof edge] = edge;
    place += sizeof edge;
  }
  std::vector<WeightedEdge> mine(static_cast<std::size_t>(from.back() + receiving->back()) /
                                 sizeof mine[0]);
  coll::Call call(coll::Operation::alltoallv, comm);
  call.send = bytes_of(sorted.data());
  call.send.counts = sending.data();
  call.send.displacements = to.data();
  call.receive = bytes_of(mine.data());
  call.receive.counts = receiving->data();
  call.receive.displacements = from.data();
  if (Status s = run(comm, call); !s) return s;
  return mine;
}

// The lists of one process in a row, each with its length before it.
std::vector<int> flat(const Topology& topology) {
  std::vector<int> all;
  for (const auto* list : {&topology.sources, &topology.source_weights, &topology.destinations,
                           &topology.destination_weights}) {
    all.push_back(static_cast<int>(list->size()));
    all.insert(all.end(), list->begin(), list->end());
  }
  return all;
}

Topology unflat(const int* from, bool weighted) {
  Topology topology;
  topology.kind = Topology::Kind::distributed_graph;
  topology.weighted = weighted;
  for (auto* list : {&topology.sources, &topology.source_weights, &topology.destinations,
                     &topology.destination_weights}) {
    list->assign(from + 1, from + 1 + *from);
    from += 1 + *from;
  }
  return topology;
}

// What each process gives, at all processes.
Result<std::vector<Topology>> gather(Comm& comm, const Topology& mine) {
  const std::vector<int> list = flat(mine);
  const Count bytes = static_cast<Count>(list.size() * sizeof list[0]);
  Counts counts(static_cast<std::size_t>(comm.size()));
  coll::Call sizes(coll::Operation::allgather, comm);
  sizes.send = bytes_of(&bytes);
  sizes.receive = bytes_of(counts.data());
  sizes.send.count = sizes.receive.count = sizeof bytes;
  if (Status s = run(comm, sizes); !s) return s;
  const Counts starts = starts_of(counts);
  std::vector<int> all(static_cast<std::size_t>(starts.back() + counts.back()) / sizeof list[0]);
  coll::Call lists(coll::Operation::allgatherv, comm);
  lists.send = bytes_of(list.data());
  lists.send.count = bytes;
  lists.receive = bytes_of(all.data());
  lists.receive.counts = counts.data();
  lists.receive.displacements = starts.data();
  if (Status s = run(comm, lists); !s) return s;
  std::vector<Topology> topologies;
  for (const Count start : starts) {
    topologies.push_back(
        unflat(all.data() + static_cast<std::size_t>(start) / sizeof all[0], mine.weighted));
  }
  return topologies;
}

// The process that gets rank r takes over the edges that were given by rank r.
Result<Comm*> make_reordered(Comm& comm, const Topology& mine) {
  auto all = gather(comm, mine);
  if (!all.ok()) return all.status();
  Topology graph;
  graph.kind = Topology::Kind::graph;
  std::vector<int> weights;
  for (const Topology& one : *all) {
    graph.edges.insert(graph.edges.end(), one.destinations.begin(), one.destinations.end());
    graph.index.push_back(static_cast<int>(graph.edges.size()));
    weights.insert(weights.end(), one.destination_weights.begin(), one.destination_weights.end());
  }
  auto nodes = place(comm, graph, true, weights);
  if (!nodes.ok()) return nodes.status();
  const int node = (*nodes)[static_cast<std::size_t>(comm.rank())];
  auto made = split(comm, 0, node);
  if (made.ok()) attach(**made, std::move((*all)[static_cast<std::size_t>(node)]));
  return made;
}

}  // namespace

Result<Comm*> make_placed(Comm& comm, Topology topology, bool reorder) {
  auto nodes = place(comm, topology, reorder);
  if (!nodes.ok()) return nodes.status();
  const int mine = (*nodes)[static_cast<std::size_t>(comm.rank())];
  auto made = split(comm, mine < topology.nodes() ? 0 : -1, mine);
  if (made.ok() && *made != nullptr) attach(**made, std::move(topology));
  return made;
}

Result<Comm*> make_sub_grid(Comm& comm, const std::vector<bool>& remain) {
  SubGrid sub = sub_grid(*comm.topology(), comm.rank(), remain);
  auto made = split(comm, sub.color, sub.key);
  if (made.ok()) attach(**made, std::move(sub.topology));
  return made;
}

Result<Comm*> make_adjacent(Comm& comm, Topology topology, bool reorder) {
  if (reorder) return make_reordered(comm, topology);
  topology.kind = Topology::Kind::distributed_graph;
  auto made = duplicate(comm);
  if (made.ok()) attach(**made, std::move(topology));
  return made;
}

Result<Comm*> make_distributed(Comm& comm, std::span<const WeightedEdge> edges, bool weighted,
                               bool reorder) {
  auto in = distribute(comm, edges, [](const WeightedEdge& edge) { return edge.destination; });
  if (!in.ok()) return in.status();
  auto out = distribute(comm, edges, [](const WeightedEdge& edge) { return edge.source; });
  if (!out.ok()) return out.status();
  Topology topology;
  topology.weighted = weighted;
  for (const WeightedEdge& edge : *in) {
    topology.sources.push_back(edge.source);
    topology.source_weights.push_back(edge.weight);
  }
  for (const WeightedEdge& edge : *out) {
    topology.destinations.push_back(edge.destination);
    topology.destination_weights.push_back(edge.weight);
  }
  return make_adjacent(comm, std::move(topology), reorder);
}

}  // namespace tessera
