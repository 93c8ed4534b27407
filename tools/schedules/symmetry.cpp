// SPDX-License-Identifier: BSD-3-Clause
// Finding out which ranks do the same.
#include "tools/schedules/symmetry.h"

#include <algorithm>
#include <bit>

namespace tessera::coll::schedules {

namespace {

bool same_edges(const Schedule& a, const Schedule& b, const Step& in_a, const Step& in_b) {
  std::uint32_t i = in_a.first_edge, k = in_b.first_edge;
  for (; i != kNoEdge && k != kNoEdge; i = a.edge(i).next, k = b.edge(k).next) {
    if (a.edge(i).step != b.edge(k).step || a.edge(i).issue_only != b.edge(k).issue_only)
      return false;
  }
  return i == k;
}

// Whether `b` is what `a` becomes when its rank moves by `by`.
bool alike(const Symmetry& symmetry, const Schedule& a, const Schedule& b, int by) {
  if (a.steps().size() != b.steps().size()) return false;
  for (std::size_t i = 0; i < a.steps().size(); ++i) {
    const Step& in_a = a.steps()[i];
    const Step& in_b = b.steps()[i];
    const bool message = in_a.kind == StepKind::send || in_a.kind == StepKind::recv;
    if (in_a.kind != in_b.kind || (message && symmetry.moved_back(in_b.peer, by) != in_a.peer) ||
        !same_edges(a, b, in_a, in_b))
      return false;
  }
  return true;
}

// Multiples of the period, below the number of ranks.
std::vector<int> moves(int ranks, int period, int samples) {
  const int all = ranks / period;
  std::vector<int> list;
  if (all - 1 <= samples) {
    for (int i = 1; i < all; ++i) list.push_back(i * period);
    return list;
  }
  for (const int i : {1, all - 1, all / 2, all / 2 - 1, 2}) list.push_back(i * period);
  for (int i = 5; i < samples; ++i) {
    list.push_back(static_cast<int>(static_cast<std::int64_t>(i) * 7919 * 104729 % (all - 1) + 1) *
                   period);
  }
  list.resize(static_cast<std::size_t>(std::min<int>(samples, static_cast<int>(list.size()))));
  return list;
}

bool holds(const Symmetry& symmetry, const Algorithm& algorithm, const Problem& problem,
           int samples) {
  Schedule first, other;
  for (int rank = 0; rank < symmetry.period; ++rank) {
    emit(algorithm, problem, rank, first);
    for (const int by : moves(symmetry.ranks, symmetry.period, samples)) {
      emit(algorithm, problem, rank + by, other);
      if (!alike(symmetry, first, other, by)) return false;
    }
  }
  return true;
}

// Exclusive or must not mix groups.
bool powers_of_two(const Machine& machine, int ranks) {
  const auto power = [](int n) { return std::has_single_bit(static_cast<unsigned>(n)); };
  return power(ranks) &&
         std::all_of(machine.levels.begin(), machine.levels.end(),
                     [&](const Level& level) { return level.ranks == 0 || power(level.ranks); });
}

}  // namespace

Symmetry find_symmetry(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                       int most) {
  const int ranks = problem.asked().ranks;
  const int group = machine.period(ranks);
  const auto found = [&](const Symmetry& symmetry) {
    return symmetry.period <= most &&
           holds(symmetry, algorithm, problem, std::clamp(most / symmetry.period, 2, 40));
  };
  if (ranks % group == 0 && group < ranks) {
    const Symmetry rotation{Symmetry::Kind::rotation, ranks, group};
    if (found(rotation)) return rotation;
    // Within a power of two, groups are exchanged as ranks are: one rank stands for all.
    const Symmetry exchange{Symmetry::Kind::exchange, ranks, 1};
    if (powers_of_two(machine, ranks) && found(exchange)) return exchange;
  }
  return {Symmetry::Kind::none, ranks, ranks};
}

}  // namespace tessera::coll::schedules
