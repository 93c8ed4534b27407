// SPDX-License-Identifier: BSD-3-Clause
// topo: process topologies. Maps the ranks of a virtual topology onto the machine.
#pragma once
//
// Contract. When a topology is made with `reorder`, the engine asks every usable component the same
// Question, gathered at all processes with equal content, and takes the answer of lowest cost
// (ties: higher priority). The component must answer identically on all processes: it uses nothing
// but the Question. The cost of a mapping is the sum of weight * distance(a, b) over all edges of
// all neighbourhoods; the identity mapping is always among the candidates. The engine opens the
// components on the first such question, not at start-up. Source: MPI-5.0 chapter 8.
//
#include <span>

#include "tessera/comm.h"
#include "tessera/component.h"

#define TESSERA_INTERFACE_topo 12

namespace tessera::topo {

enum class Shape : std::uint8_t { cartesian, graph };

struct Question {
  Shape shape;
  // Number of nodes of the topology; the processes beyond it are left out. nodes <=
  // locations.size().
  int nodes;
  // Cartesian: extents and periods per dimension, row-major numbering. Graph: neither.
  std::span<const int> dims;
  std::span<const bool> periods;
  // Edges of node i: neighbours[offsets[i] .. offsets[i+1]) with weights (for both shapes; offsets
  // has nodes + 1 entries).
  std::span<const int> offsets;
  std::span<const int> neighbours;
  std::span<const int> weights;  // empty: all 1
  // Where the process of each old rank runs: its coordinates from the outermost level (machine) to
  // the innermost, `levels` numbers per rank. The distance of two ranks is the number of levels,
  // counted from the inside, they do not share.
  int levels;
  std::span<const int> locations;
};

class Component : public tessera::Component {
 public:
  virtual Status open(const Host& host) noexcept = 0;
  // Writes to new_rank[r], for each old rank r, its node in the topology (a permutation of 0 ..
  // locations-1; nodes beyond Question::nodes are left out). Returns its cost; `unsupported` when
  // it has no answer to this shape.
  virtual Result<std::int64_t> map(const Question& question, std::span<int> new_rank) noexcept = 0;
};

}  // namespace tessera::topo
