// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of an operation must be looked at, because the others do the same: Symmetry.
#pragma once
//
// Contract. Under a symmetry, rank r does what its representative r mod `period` does, with every
// peer moved as r is: by adding r - representative modulo the number of ranks (rotation), or by
// exclusive or with it (exchange). So the message that a representative sends to any rank arrives
// at the representatives as one that comes from a moved sender. The number of ranks is a multiple
// of the period, and the period one of the machine's groups, so that moved peers are as far away as
// they were. Under no symmetry the period is the number of ranks.
//
#include "tools/schedules/catalogue.h"
#include "tools/schedules/machine.h"

namespace tessera::coll::schedules {

struct Symmetry {
  enum class Kind { none, rotation, exchange };
  Kind kind = Kind::none;
  int ranks = 1;
  int period = 1;

  int representative(int rank) const noexcept { return rank % period; }
  // Where `rank` comes to lie when `by` (a multiple of the period) comes to lie at 0.
  int moved_back(int rank, int by) const noexcept {
    return kind == Kind::exchange ? rank ^ by : rank >= by ? rank - by : rank - by + ranks;
  }
};

// Tries both kinds on every representative, each compared with some of the ranks that it stands
// for: as many as make `most` comparisons in all, but 2 to 40, among them the first, the last and
// those in the middle. Steps, peers and edges must be equal; amounts of data need not be (pieces of
// a vector differ when it cannot be divided evenly). Kind::none if neither holds with at most
// `most` representatives.
Symmetry find_symmetry(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                       int most);

}  // namespace tessera::coll::schedules
