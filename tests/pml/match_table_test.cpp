// SPDX-License-Identifier: BSD-3-Clause
// MatchTable against a model that searches plain lists.
#include "components/pml/ob1/match_table.h"

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <random>
#include <vector>

namespace tessera::ob1 {
namespace {

struct Model {
  struct Item {
    MatchKey key;
    void* node;
  };
  std::list<Item> posted;
  std::list<Item> unexpected;

  void* take_posted(const MatchKey& message) {
    for (auto i = posted.begin(); i != posted.end(); ++i) {
      if (!i->key.fits(message)) continue;
      void* node = i->node;
      posted.erase(i);
      return node;
    }
    return nullptr;
  }
  void* find_unexpected(const MatchKey& pattern) {
    for (const Item& i : unexpected) {
      if (pattern.fits(i.key)) return i.node;
    }
    return nullptr;
  }
  static void erase(std::list<Item>& from, void* node) {
    from.remove_if([&](const Item& i) { return i.node == node; });
  }
};

// One table, its model, and the nodes of both.
class Harness {
 public:
  explicit Harness(std::uint64_t seed, int spread) : random_(seed), spread_(spread) {}

  void step() {
    switch (random_() % 8) {
      case 0:
      case 1:
      case 2:
        return receive();
      case 3:
      case 4:
      case 5:
        return arrive();
      case 6:
        return cancel(model_.posted, true);
      default:
        return cancel(model_.unexpected, false);
    }
  }
  void compare_sizes() {
    ASSERT_EQ(table_.posted(), model_.posted.size());
    ASSERT_EQ(table_.unexpected(), model_.unexpected.size());
    std::size_t visited = 0;
    table_.for_each_posted([&](Posted&) { ++visited; });
    ASSERT_EQ(visited, model_.posted.size());
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  MatchKey message() {
    return {static_cast<ContextId>(2 * below(2)), below(spread_), below(spread_)};
  }
  MatchKey wish() {
    const MatchKey key = message();
    const int source = below(6) == 0 ? kAnySource : key.source();
    const int tag = below(6) == 0 ? kAnyTag : key.tag();
    return {key.context, source, tag};
  }
  void receive() {
    const MatchKey key = wish();
    Unexpected* found = table_.find_unexpected(key);
    ASSERT_EQ(static_cast<void*>(found), model_.find_unexpected(key));
    if (found != nullptr) {
      table_.remove(*found);
      return Model::erase(model_.unexpected, found);
    }
    posted_.push_back(std::make_unique<Posted>());
    posted_.back()->key = key;
    table_.post(*posted_.back());
    model_.posted.push_back({key, posted_.back().get()});
  }
  void arrive() {
    const MatchKey key = message();
    ASSERT_EQ(static_cast<void*>(table_.find_posted(key)) != nullptr,
              table_.find_posted(key) != nullptr);
    Posted* found = table_.take_posted(key);
    ASSERT_EQ(static_cast<void*>(found), model_.take_posted(key));
    if (found != nullptr) return;
    unexpected_.push_back(std::make_unique<Unexpected>());
    table_.add(*unexpected_.back(), key);
    model_.unexpected.push_back({key, unexpected_.back().get()});
  }
  void cancel(std::list<Model::Item>& items, bool receives) {
    if (items.empty() || below(3) != 0) return;
    auto victim = std::next(items.begin(), below(static_cast<int>(items.size())));
    if (receives) {
      table_.withdraw(*static_cast<Posted*>(victim->node));
    } else {
      table_.remove(*static_cast<Unexpected*>(victim->node));
    }
    items.erase(victim);
  }

  MatchTable table_;
  Model model_;
  std::mt19937_64 random_;
  int spread_;
  std::vector<std::unique_ptr<Posted>> posted_;
  std::vector<std::unique_ptr<Unexpected>> unexpected_;
};

class MatchTableModel : public testing::TestWithParam<int> {};

TEST_P(MatchTableModel, AgreesOnEveryStep) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Harness harness(seed, GetParam());
    for (int i = 0; i < 4000; ++i) {
      harness.step();
      if (i % 100 == 0) harness.compare_sizes();
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << " step " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Spread, MatchTableModel, testing::Values(1, 2, 5, 50));

TEST(MatchTable, EarliestPostedWinsAcrossAllShapes) {
  const MatchKey shapes[] = {
      {4, 1, 2}, {4, kAnySource, 2}, {4, 1, kAnyTag}, {4, kAnySource, kAnyTag}};
  int order[] = {0, 1, 2, 3};
  do {
    MatchTable table;
    Posted nodes[4];
    for (int i : order) {
      nodes[i].key = shapes[i];
      table.post(nodes[i]);
    }
    for (int i : order) EXPECT_EQ(table.take_posted({4, 1, 2}), &nodes[i]);
    EXPECT_EQ(table.take_posted({4, 1, 2}), nullptr);
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

TEST(MatchTable, ContextsAreSeparate) {
  MatchTable table;
  Posted any;
  any.key = {7, kAnySource, kAnyTag};
  table.post(any);
  EXPECT_EQ(table.take_posted({8, 0, 0}), nullptr);
  EXPECT_EQ(table.take_posted({std::uint64_t{7} << 32 | 7, 0, 0}), nullptr);
  EXPECT_EQ(table.take_posted({7, 0, 0}), &any);
}

// The work of a look-up does not grow with what is posted: the longest chain of a bucket stays
// short.
TEST(MatchTable, TenThousandKeysStaySpread) {
  for (const bool by_tag : {true, false}) {
    MatchTable table;
    std::vector<Posted> nodes(10'000);
    for (int i = 0; i < 10'000; ++i) {
      nodes[i].key =
          by_tag ? MatchKey{2, 3, i} : MatchKey{static_cast<ContextId>(2 * (i / 100)), i % 100, 5};
      table.post(nodes[i]);
    }
    EXPECT_LE(table.longest_chain(), 12u);
    for (int i = 9'999; i >= 0; --i) ASSERT_EQ(table.take_posted(nodes[i].key), &nodes[i]);
    EXPECT_EQ(table.posted(), 0u);
  }
}

}  // namespace
}  // namespace tessera::ob1
