// SPDX-License-Identifier: BSD-3-Clause
// Contract of every topo component: permutations, costs that are true, the same answer everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "fakes.h"
#include "subject.h"
#include "tessera/topo.h"

namespace tessera::contract {

namespace {

using topo::Question;

// A question with the memory that it refers to.
struct Riddle {
  topo::Shape shape = topo::Shape::graph;
  int nodes = 0;
  std::vector<int> dims, offsets = {0}, neighbours, weights;
  std::vector<char> periods;  // bool: std::vector<bool> has no memory to refer to
  int levels = 1;
  std::vector<int> locations;

  Question question() const {
    return {shape,    nodes,
            dims,     {reinterpret_cast<const bool*>(periods.data()), periods.size()},
            offsets,  neighbours,
            weights,  levels,
            locations};
  }
  int ranks() const { return static_cast<int>(locations.size()) / levels; }
};

// `ranks` processes dealt out in turn to `machines` machines of two sockets each.
void place(Riddle& riddle, int ranks, int machines) {
  riddle.levels = 3;
  for (int rank = 0; rank < ranks; ++rank) {
    const int within = rank / machines;
    for (const int coordinate : {rank % machines, within % 2, within / 2})
      riddle.locations.push_back(coordinate);
  }
}

int neighbour_in(const Riddle& riddle, int node, std::size_t dim, int step) {
  int stride = 1;
  for (std::size_t d = dim + 1; d < riddle.dims.size(); ++d) stride *= riddle.dims[d];
  const int extent = riddle.dims[dim], at = node / stride % extent, to = at + step;
  if (to >= 0 && to < extent) return node + step * stride;
  return riddle.periods[dim] != 0 ? node + ((to + extent) % extent - at) * stride : -1;
}

Riddle grid(const std::vector<int>& dims, bool periodic, int spare, int machines) {
  Riddle riddle;
  riddle.shape = topo::Shape::cartesian;
  riddle.dims = dims;
  riddle.periods.assign(dims.size(), periodic ? 1 : 0);
  riddle.nodes = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>());
  for (int node = 0; node < riddle.nodes; ++node) {
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      for (const int step : {-1, 1}) {
        if (const int to = neighbour_in(riddle, node, dim, step); to >= 0)
          riddle.neighbours.push_back(to);
      }
    }
    riddle.offsets.push_back(static_cast<int>(riddle.neighbours.size()));
  }
  place(riddle, riddle.nodes + spare, machines);
  return riddle;
}

Riddle random_graph(int nodes, int spare, bool weighted, unsigned seed) {
  Riddle riddle;
  std::mt19937 random(seed);
  riddle.nodes = nodes;
  for (int node = 0; node < nodes; ++node) {
    for (auto edges = random() % 5; edges > 0; --edges)  // also loops and double edges
      riddle.neighbours.push_back(static_cast<int>(random() % static_cast<unsigned>(nodes)));
    riddle.offsets.push_back(static_cast<int>(riddle.neighbours.size()));
  }
  if (weighted) {
    for (std::size_t i = 0; i < riddle.neighbours.size(); ++i)
      riddle.weights.push_back(static_cast<int>(random() % 100));
  }
  place(riddle, nodes + spare, 3);
  return riddle;
}

std::vector<Riddle> riddles() {
  std::vector<Riddle> all = {grid({}, false, 0, 1), grid({1}, true, 2, 1), grid({6}, true, 0, 3)};
  for (const bool periodic : {false, true}) {
    for (const int machines : {1, 2, 5}) {
      all.push_back(grid({3, 4}, periodic, 0, machines));
      all.push_back(grid({2, 3, 4}, periodic, 3, machines));
    }
  }
  for (unsigned seed = 1; seed <= 12; ++seed)
    all.push_back(
        random_graph(static_cast<int>(seed * 3), static_cast<int>(seed % 3), seed % 2 == 0, seed));
  return all;
}

int distance(const Riddle& riddle, int a, int b) {
  for (int level = 0; level < riddle.levels; ++level) {
    if (riddle.locations[a * riddle.levels + level] != riddle.locations[b * riddle.levels + level])
      return riddle.levels - level;
  }
  return 0;
}

std::int64_t cost(const Riddle& riddle, const std::vector<int>& node_of) {
  std::vector<int> rank_of(node_of.size());
  for (std::size_t rank = 0; rank < node_of.size(); ++rank)
    rank_of[node_of[rank]] = static_cast<int>(rank);
  std::int64_t sum = 0;
  for (int node = 0; node < riddle.nodes; ++node) {
    for (int edge = riddle.offsets[node]; edge < riddle.offsets[node + 1]; ++edge) {
      const std::int64_t weight = riddle.weights.empty() ? 1 : riddle.weights[edge];
      sum += weight * distance(riddle, rank_of[node], rank_of[riddle.neighbours[edge]]);
    }
  }
  return sum;
}

// One process's instance.
class Mapper {
 public:
  explicit Mapper(std::uint32_t id)
      : job_(segment_, id),
        progress_(segment_.bell(id), Waiting::yield),
        bootstrap_(segment_, id, progress_) {
    opened_ = component().open({plugin().params(), job_, progress_, bootstrap_});
  }
  Status opened() const { return opened_; }
  topo::Component& component() { return static_cast<topo::Component&>(instances_.component()); }
  Result<std::int64_t> map(const Riddle& riddle, std::vector<int>& answer) {
    answer.assign(static_cast<std::size_t>(riddle.ranks()), -1);
    return component().map(riddle.question(), answer);
  }

 private:
  Segment segment_{2};
  FakeJob job_;
  FakeProgress progress_;
  FakeBootstrap bootstrap_;
  Instances instances_;
  Status opened_;
};

TEST(TopoMapping, OpensOrSaysWhyNot) {
  Mapper mapper(0);
  EXPECT_TRUE(mapper.opened().ok() || std::strlen(mapper.opened().text()) > 0);
}

TEST(TopoMapping, AnAnswerIsAPermutationOfTheCostItClaims) {
  Mapper mapper(0);
  int answers = 0, number = 0;
  for (const Riddle& riddle : riddles()) {
    SCOPED_TRACE("question " + std::to_string(number++));
    std::vector<int> answer;
    const auto claimed = mapper.map(riddle, answer);
    if (!claimed) {
      EXPECT_TRUE(claimed.status() == Errc::unsupported) << claimed.status().text();
      continue;
    }
    ++answers;
    std::vector<int> sorted = answer, all(answer.size());
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(sorted, all) << "not a permutation";
    EXPECT_EQ(claimed.value(), cost(riddle, answer));
  }
  EXPECT_GT(answers, 0) << "it answers none of the questions";
}

TEST(TopoMapping, AllProcessesAnswerAlike) {
  Mapper first(0), second(1);
  for (const Riddle& riddle : riddles()) {
    std::vector<int> a, b, again;
    const auto one = first.map(riddle, a);
    const auto two = second.map(riddle, b);
    ASSERT_EQ(one.ok(), two.ok());
    if (!one) continue;
    EXPECT_EQ(one.value(), two.value());
    EXPECT_EQ(a, b);
    ASSERT_TRUE(first.map(riddle, again).ok());
    EXPECT_EQ(a, again) << "the second answer differs from the first";
  }
}

}  // namespace

}  // namespace tessera::contract
