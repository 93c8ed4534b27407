// SPDX-License-Identifier: BSD-3-Clause
// Complete operations with input data and the result that MPI prescribes.
#pragma once

#include "tools/schedules/model.h"

namespace tessera::coll::schedules {

struct Shape {
  Operation operation = Operation::barrier;
  int size = 1;
  int remote_size = 0;  // > 0: an intercommunicator; `root` is on the first side
  int root = 0;
  Count count = 0;
  bool in_place = false;
  bool sparse = false;  // datatypes with holes
  bool wide = false;    // 64-bit arrays
};
std::string describe(const Shape& shape);

bool rooted(Operation operation);
bool reduces(Operation operation);
bool has_in_place(Operation operation);

// The processes of the operation; on intercommunicators first all of the first side. `op` outlives
// them.
std::vector<Process> make_processes(const Shape& shape, const Op* op);

// A neighbourhood operation: the neighbours of each process, in the order of sends and of receives.
struct Neighbours {
  std::vector<std::vector<int>> destinations;
  std::vector<std::vector<int>> sources;
  bool cartesian = false;
};
// origin(process, i): the process and position of its send that fills receive block i.
struct Origin {
  int process;
  int position;
};
std::vector<Process> make_neighbour_processes(Operation operation, const Neighbours& neighbours,
                                              Count count, bool sparse,
                                              const std::vector<std::vector<Origin>>& origins);

}  // namespace tessera::coll::schedules
