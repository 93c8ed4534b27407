// SPDX-License-Identifier: BSD-3-Clause
// Set operations on groups.
#include "core/comm/group.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

class Groups : public testing::Test {
 protected:
  Groups() {
    for (std::uint32_t id = 0; id < 6; ++id) peers_[id].id = id;
  }
  Ref<Group> group(std::initializer_list<int> ids) {
    std::vector<Peer*> members;
    for (const int id : ids) members.push_back(&peers_[id]);
    return Ref<Group>(Group::make(std::move(members)));
  }
  static std::vector<std::uint32_t> ids(const Ref<Group>& group) {
    std::vector<std::uint32_t> list;
    for (int rank = 0; rank < group->size(); ++rank) list.push_back(group->member(rank).id);
    return list;
  }
  using Ids = std::vector<std::uint32_t>;
  Peer peers_[6];
};

TEST_F(Groups, RanksOfMembersAndStrangers) {
  const auto g = group({4, 0, 2});
  EXPECT_EQ(g->rank_of(peers_[4]), 0);
  EXPECT_EQ(g->rank_of(peers_[2]), 2);
  EXPECT_EQ(g->rank_of(peers_[1]), -1);
  EXPECT_EQ(group({0, 1, 2})->rank_of(peers_[2]), 2);
  EXPECT_EQ(group({0, 1, 2})->rank_of(peers_[3]), -1);
}

TEST_F(Groups, Comparison) {
  EXPECT_EQ(group({1, 2})->compare(*group({1, 2})), Similarity::identical);
  EXPECT_EQ(group({1, 2})->compare(*group({2, 1})), Similarity::similar);
  EXPECT_EQ(group({1, 2})->compare(*group({1, 3})), Similarity::unequal);
  EXPECT_EQ(group({1, 2})->compare(*group({1})), Similarity::unequal);
  EXPECT_EQ(group({})->compare(*group({})), Similarity::identical);
}

TEST_F(Groups, SetOperationsKeepTheOrderOfTheFirst) {
  const auto a = group({3, 1, 5});
  const auto b = group({5, 0, 3});
  EXPECT_EQ(ids(Ref<Group>(a->united_with(*b))), (Ids{3, 1, 5, 0}));
  EXPECT_EQ(ids(Ref<Group>(a->intersected_with(*b))), (Ids{3, 5}));
  EXPECT_EQ(ids(Ref<Group>(a->without(*b))), (Ids{1}));
}

TEST_F(Groups, InclusionAndExclusion) {
  const auto g = group({5, 4, 3, 2});
  const int ranks[] = {3, 0};
  EXPECT_EQ(ids(Ref<Group>(g->including(ranks))), (Ids{2, 5}));
  EXPECT_EQ(ids(Ref<Group>(g->excluding(ranks))), (Ids{4, 3}));
}

}  // namespace
}  // namespace tessera
