// SPDX-License-Identifier: BSD-3-Clause
// Which process becomes which node of a topology: the question to the topo components.
#include <sched.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/comm/agreement.h"
#include "core/comm/topology_make.h"
#include "core/engine/instance.h"
#include "core/impi/spanned.h"

namespace tessera {
namespace {

// Where a process runs, from the outermost level to the innermost.
struct Location {
  int machine;  // number in the job of the first process there
  int cpu;      // number + 1 if it is bound to one, else 0
};
constexpr int kLevels = 2;
static_assert(sizeof(Location) == kLevels * sizeof(int));

int bound_cpu() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != 1) return 0;
  int cpu = 0;
  while (!CPU_ISSET(cpu, &set)) ++cpu;
  return cpu + 1;
}

int first_of_machine(Job& job) noexcept {
  std::uint32_t id = 0;
  while (job.peer(id).locality == Locality::remote) ++id;
  return static_cast<int>(id);
}

Result<std::vector<int>> locations(Comm& comm) {
  const Location mine{first_of_machine(comm.instance().job()), bound_cpu()};
  const auto n = static_cast<std::size_t>(comm.size());
  std::vector<int> all(n * kLevels);
  const PeerGroup peers{comm.pml(),  comm.progress(),           {comm.group()->members(), n},
                        comm.rank(), comm.collective_context(), comm.next_collective_tag(),
                        {}};
  if (Status s = allgather(peers, &mine, sizeof mine, all.data()); !s) return s;
  return all;
}

struct Edges {
  std::vector<int> offsets{0};
  std::vector<int> neighbours;
  explicit Edges(const Topology& topology) {
    for (int node = 0; node < topology.nodes(); ++node) {
      for (const int neighbour : topology.neighbours_of(node)) {
        if (neighbour >= 0) neighbours.push_back(neighbour);
      }
      offsets.push_back(static_cast<int>(neighbours.size()));
    }
  }
};

Status ask(Comm& comm, const Topology& topology, std::span<const int> weights,
           const std::vector<int>& where, std::span<int> nodes) {
  const Edges edges(topology);
  const std::unique_ptr<bool[]> periods(new bool[topology.periods.size()]);
  std::copy(topology.periods.begin(), topology.periods.end(), periods.get());
  topo::Question question{};
  question.shape =
      topology.kind == Topology::Kind::cartesian ? topo::Shape::cartesian : topo::Shape::graph;
  question.nodes = topology.nodes();
  question.dims = topology.dims;
  question.periods = {periods.get(), topology.periods.size()};
  question.offsets = edges.offsets;
  question.neighbours = edges.neighbours;
  question.weights = weights;
  question.levels = kLevels;
  question.locations = where;
  return comm.instance().map_topology(question, nodes);
}

}  // namespace

Result<std::vector<int>> place(Comm& comm, const Topology& topology, bool reorder,
                               std::span<const int> weights) {
  std::vector<int> nodes(static_cast<std::size_t>(comm.size()));
  std::iota(nodes.begin(), nodes.end(), 0);
  if (!reorder || impi::spanned_by(comm) != nullptr) return nodes;
  auto where = locations(comm);
  if (!where.ok()) return where.status();
  const Status answered = ask(comm, topology, weights, *where, nodes);
  if (answered.code() == Errc::unsupported) {
    std::iota(nodes.begin(), nodes.end(), 0);
  } else if (!answered.ok()) {
    return answered;
  }
  return nodes;
}

}  // namespace tessera
