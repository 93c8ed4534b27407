// SPDX-License-Identifier: BSD-3-Clause
// topo/mine: Cartesian grids along a snake: rows are walked to and fro, so that nodes that follow
// each other are neighbours, and processes that are near each other get nodes that follow each
// other.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tessera/topo.h"

namespace {

using namespace tessera;
using topo::Question;

// The numbers of all nodes of the grid, each a neighbour of the one before.
std::vector<int> snake(std::span<const int> dims) {
  std::vector<int> order = {0};
  for (const int extent : dims) {  // every prefix of the walk is repeated along the next dimension
    std::vector<int> longer;
    for (const int prefix : order) {
      const bool back = (longer.size() / static_cast<std::size_t>(extent)) % 2 == 1;
      for (int i = 0; i < extent; ++i)
        longer.push_back(prefix * extent + (back ? extent - 1 - i : i));
    }
    order = std::move(longer);
  }
  return order;
}

std::span<const int> location(const Question& question, int rank) {
  const auto levels = static_cast<std::size_t>(question.levels);
  return question.locations.subspan(levels * static_cast<std::size_t>(rank), levels);
}

int distance(const Question& question, int a, int b) {
  const auto here = location(question, a), there = location(question, b);
  const auto differ = std::mismatch(here.begin(), here.end(), there.begin()).first;
  return static_cast<int>(here.end() - differ);
}

int ranks_in(const Question& question) {
  return static_cast<int>(question.locations.size()) / std::max(question.levels, 1);
}

std::vector<int> by_location(const Question& question) {
  std::vector<int> ranks(static_cast<std::size_t>(ranks_in(question)));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    const auto x = location(question, a), y = location(question, b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  return ranks;
}

std::int64_t cost(const Question& question, std::span<const int> node_of) {
  std::vector<int> rank_of(node_of.size());
  for (std::size_t rank = 0; rank < node_of.size(); ++rank)
    rank_of[node_of[rank]] = static_cast<int>(rank);
  std::int64_t sum = 0;
  for (int node = 0; node < question.nodes; ++node) {
    for (int edge = question.offsets[node]; edge < question.offsets[node + 1]; ++edge) {
      const std::int64_t weight = question.weights.empty() ? 1 : question.weights[edge];
      sum += weight * distance(question, rank_of[node], rank_of[question.neighbours[edge]]);
    }
  }
  return sum;
}

class MineComponent final : public topo::Component {
 public:
  Status open(const Host&) noexcept override { return {}; }
  Result<std::int64_t> map(const Question& question, std::span<int> new_rank) noexcept override
      try {
    if (question.shape != topo::Shape::cartesian) return Errc::unsupported;
    std::vector<int> nodes = snake(question.dims);
    const std::vector<int> ranks = by_location(question);
    for (int beyond = question.nodes; nodes.size() < ranks.size(); ++beyond)
      nodes.push_back(beyond);
    for (std::size_t i = 0; i < ranks.size(); ++i) new_rank[ranks[i]] = nodes[i];
    return cost(question, new_rank);
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }
};

}  // namespace

TESSERA_COMPONENT(topo, mine, "1.0.0", 20, MineComponent, "Cartesian grids laid along a snake")
