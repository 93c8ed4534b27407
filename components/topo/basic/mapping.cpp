// SPDX-License-Identifier: BSD-3-Clause
// Identity and breadth-first mappings.
#include "mapping.h"

#include <algorithm>
#include <numeric>

namespace tessera::topo::basic {
namespace {

int distance(const Question& question, int a, int b) {
  const auto levels = static_cast<std::size_t>(question.levels);
  const auto x = question.locations.subspan(static_cast<std::size_t>(a) * levels, levels);
  const auto y = question.locations.subspan(static_cast<std::size_t>(b) * levels, levels);
  const auto differ = std::mismatch(x.begin(), x.end(), y.begin());
  return static_cast<int>(x.end() - differ.first);
}

int processes(const Question& question) {
  return question.levels == 0 ? question.nodes
                              : static_cast<int>(question.locations.size()) / question.levels;
}

std::span<const int> neighbours(const Question& question, int node) {
  const int first = question.offsets[static_cast<std::size_t>(node)];
  const int last = question.offsets[static_cast<std::size_t>(node) + 1];
  return question.neighbours.subspan(static_cast<std::size_t>(first),
                                     static_cast<std::size_t>(last - first));
}

// Unvisited nodes with few neighbours come first, both as starting points and among siblings.
std::vector<int> walk(const Question& question) {
  const auto degree = [&](int node) { return neighbours(question, node).size(); };
  std::vector<int> starts(static_cast<std::size_t>(question.nodes));
  std::iota(starts.begin(), starts.end(), 0);
  std::stable_sort(starts.begin(), starts.end(),
                   [&](int a, int b) { return degree(a) < degree(b); });
  std::vector<bool> seen(starts.size(), false);
  std::vector<int> order;
  for (const int start : starts) {
    if (seen[static_cast<std::size_t>(start)]) continue;
    seen[static_cast<std::size_t>(start)] = true;
    std::size_t next = order.size();
    order.push_back(start);
    for (; next < order.size(); ++next) {
      std::vector<int> siblings;
      for (const int n : neighbours(question, order[next])) {
        if (seen[static_cast<std::size_t>(n)]) continue;
        seen[static_cast<std::size_t>(n)] = true;
        siblings.push_back(n);
      }
      std::stable_sort(siblings.begin(), siblings.end(),
                       [&](int a, int b) { return degree(a) < degree(b); });
      order.insert(order.end(), siblings.begin(), siblings.end());
    }
  }
  return order;
}

std::vector<int> ranks_by_location(const Question& question) {
  std::vector<int> ranks(static_cast<std::size_t>(processes(question)));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto levels = static_cast<std::size_t>(question.levels);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    const auto x = question.locations.subspan(static_cast<std::size_t>(a) * levels, levels);
    const auto y = question.locations.subspan(static_cast<std::size_t>(b) * levels, levels);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  return ranks;
}

}  // namespace

std::int64_t cost(const Question& question, const Mapping& node_of) {
  std::vector<int> rank_of(node_of.size());
  for (std::size_t rank = 0; rank < node_of.size(); ++rank)
    rank_of[static_cast<std::size_t>(node_of[rank])] = static_cast<int>(rank);
  std::int64_t sum = 0;
  for (int node = 0; node < question.nodes; ++node) {
    const auto first = static_cast<std::size_t>(question.offsets[static_cast<std::size_t>(node)]);
    const auto list = neighbours(question, node);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const int weight = question.weights.empty() ? 1 : question.weights[first + i];
      sum += std::int64_t{weight} * distance(question, rank_of[static_cast<std::size_t>(node)],
                                             rank_of[static_cast<std::size_t>(list[i])]);
    }
  }
  return sum;
}

Mapping identity(const Question& question) {
  Mapping mapping(static_cast<std::size_t>(processes(question)));
  std::iota(mapping.begin(), mapping.end(), 0);
  return mapping;
}

Mapping breadth_first(const Question& question) {
  const std::vector<int> ranks = ranks_by_location(question);
  std::vector<int> nodes = walk(question);
  for (int node = question.nodes; node < processes(question); ++node) nodes.push_back(node);
  Mapping mapping(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    mapping[static_cast<std::size_t>(ranks[i])] = nodes[i];
  return mapping;
}

}  // namespace tessera::topo::basic
