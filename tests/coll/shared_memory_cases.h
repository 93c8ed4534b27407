// SPDX-License-Identifier: BSD-3-Clause
// What coll/sm is called with in tests: every operation that it serves, in all shapes.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tests/coll/cases.h"
#include "tests/support/thread_world.h"

namespace tessera::coll::test {

inline constexpr Operation kServed[] = {Operation::barrier,        Operation::bcast,
                                        Operation::gather,         Operation::scatter,
                                        Operation::allgather,      Operation::alltoall,
                                        Operation::reduce,         Operation::allreduce,
                                        Operation::reduce_scatter, Operation::reduce_scatter_block,
                                        Operation::scan,           Operation::exscan,
                                        Operation::gatherv,        Operation::scatterv,
                                        Operation::allgatherv,     Operation::alltoallv,
                                        Operation::alltoallw};

inline const ModelOp& ordered() {
  static const ModelOp op(false);
  return op;
}

// 16 bytes an element: inside the announcing line, one package, several, and (for the pieces of an
// alltoall) one more than a whole number of them.
inline std::vector<Shape> shapes(int size, std::span<const Operation> operations = kServed,
                                 std::initializer_list<Count> counts = {0, 1, 2, 9, 257, 1500}) {
  std::vector<Shape> all;
  for (const Operation operation : operations) {
    for (const Count count : counts) {
      for (int root = 0; root < (rooted(operation) ? size : 1); ++root) {
        all.push_back({operation, size, 0, root, count});
        if (has_in_place(operation)) all.push_back({operation, size, 0, root, count, true});
      }
    }
  }
  return all;
}

// Whatever the rules say, everything goes through the shared segment.
inline void lift_limits(tessera::test::Settings& settings) {
  for (const Operation operation : kServed) {
    if (operation != Operation::barrier)
      settings.emplace_back(std::string("coll_sm_") + name(operation) + "_limit", "1G");
  }
}

inline void expect_results(const std::vector<Shape>& all,
                           const std::vector<std::vector<Process>>& processes) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Process& process : processes[i]) {
      if (!process.receive_matters) continue;
      EXPECT_EQ(process.receive.bytes, process.expected)
          << describe(all[i]) << ", rank " << process.call.rank;
    }
  }
}

}  // namespace tessera::coll::test
