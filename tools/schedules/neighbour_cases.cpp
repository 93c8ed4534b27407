// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood operations with input data and the result that MPI prescribes.
#include "tools/schedules/builder.h"

namespace tessera::coll::schedules {

namespace {

using enum Operation;

Count edge_count(Operation operation, Count count, int process, int position) {
  if (operation == neighbor_allgather || operation == neighbor_alltoall) return count;
  if (operation == neighbor_allgatherv) return varied(process, 1, count);
  return varied(process, position, count);
}

void set_up_side(Builder& builder, Space space, Operation operation,
                 const std::vector<Count>& counts, Count count, int salt, const Datatype& type) {
  const bool gathers = operation == neighbor_allgather || operation == neighbor_allgatherv;
  if (gathers && space == Space::send) {
    builder.one_count(space, count, 1, type);
  } else if (operation == neighbor_allgather || operation == neighbor_alltoall) {
    builder.one_count(space, count, static_cast<Count>(counts.size()), type);
  } else {
    Layout layout = layout_of(counts);
    if (operation == neighbor_alltoallw) make_typed(layout, salt, true);
    builder.layout(space, layout, type);
  }
}

}  // namespace

std::vector<Process> make_neighbour_processes(Operation operation, const Neighbours& neighbours,
                                              Count count, bool sparse,
                                              const std::vector<std::vector<Origin>>& origins) {
  const bool gathers = operation == neighbor_allgather || operation == neighbor_allgatherv;
  const int size = static_cast<int>(neighbours.destinations.size());
  Shape shape;
  shape.operation = operation;
  shape.size = size;
  std::vector<Process> processes;
  for (int me = 0; me < size; ++me) {
    const auto at = static_cast<std::size_t>(me);
    Process& process = processes.emplace_back(blank(shape, me, nullptr));
    process.call.destinations = neighbours.destinations[at];
    process.call.sources = neighbours.sources[at];
    process.call.cartesian = neighbours.cartesian;
    Builder builder(process, me % 2 == 1);
    std::vector<Count> out, in;
    for (std::size_t i = 0; i < neighbours.destinations[at].size(); ++i) {
      out.push_back(edge_count(operation, count, me, static_cast<int>(i)));
    }
    for (const Origin& origin : origins[at]) {
      in.push_back(
          origin.process < 0 ? 1 : edge_count(operation, count, origin.process, origin.position));
    }
    set_up_side(builder, Space::send, operation, out, edge_count(operation, count, me, 0), me,
                dense_int());
    set_up_side(builder, Space::receive, operation, in, count, me + 1,
                sparse ? sparse_int() : dense_int());
    for (int i = 0; i < (gathers ? 1 : static_cast<int>(out.size())); ++i) {
      const Side& side = process.call.send;
      const Buffer block =
          gathers ? Buffer{Space::send, 0, side.count, side.type} : block_of(side, Space::send, i);
      builder.put(Space::send, block, tokens(me, i, block.count));
    }
    builder.start_expectation();
    for (int i = 0; i < static_cast<int>(in.size()); ++i) {
      const Origin& origin = origins[at][static_cast<std::size_t>(i)];
      if (origin.process < 0) continue;
      const Buffer block = block_of(process.call.receive, Space::receive, i);
      builder.expect(block, tokens(origin.process, gathers ? 0 : origin.position, block.count));
    }
    builder.finish();
  }
  return processes;
}

}  // namespace tessera::coll::schedules
