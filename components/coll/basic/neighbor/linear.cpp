// SPDX-License-Identifier: BSD-3-Clause
// All neighbourhood collectives: a message along each edge, all at once.
// Cost: one message deep; as many messages as there are neighbours. Source: MPI-5.0 section 8.6.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

static void neighbor_linear(const Call& call, Schedule& schedule) {
  OrderedChain sends(schedule), recvs(schedule);
  for (int i = 0; i < static_cast<int>(call.destinations.size()); ++i) {
    const int to = call.destinations[static_cast<std::size_t>(i)];
    const Buffer what = gathers_from_neighbors(call.operation) ? whole(Space::send, call.send)
                                                               : block(call, Space::send, i);
    if (to != kProcNull && what.bytes() > 0) sends(schedule.send(to, what));
  }
  for (int i = 0; i < static_cast<int>(call.sources.size()); ++i) {
    const int position = arrival(call, i);
    const int from = call.sources[static_cast<std::size_t>(position)];
    const Buffer where = block(call, Space::receive, position);
    if (from != kProcNull && where.bytes() > 0) recvs(schedule.recv(from, where));
  }
}

const Algorithm registered_neighbor_allgather_linear{Operation::neighbor_allgather, "linear",
                                                     neighbor_linear};
const Algorithm registered_neighbor_allgatherv_linear{Operation::neighbor_allgatherv, "linear",
                                                      neighbor_linear};
const Algorithm registered_neighbor_alltoall_linear{Operation::neighbor_alltoall, "linear",
                                                    neighbor_linear};
const Algorithm registered_neighbor_alltoallv_linear{Operation::neighbor_alltoallv, "linear",
                                                     neighbor_linear};
const Algorithm registered_neighbor_alltoallw_linear{Operation::neighbor_alltoallw, "linear",
                                                     neighbor_linear};

}  // namespace tessera::coll::basic
