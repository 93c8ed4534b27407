// SPDX-License-Identifier: BSD-3-Clause
// The levels of coll/hierarchy: shapes, description files and what is wrong with them, trees,
// places.
#include <gtest/gtest.h>

#include "components/coll/hierarchy/description.h"
#include "components/coll/hierarchy/places.h"

namespace tessera::coll::test {
namespace {

using hierarchy::Description;
using hierarchy::Level;
using hierarchy::Place;
using hierarchy::Tree;
using Numbers = std::vector<int>;

Result<Description> parse(const std::string& text, int processes = 8) {
  return hierarchy::parse_description("m.yaml", text, processes);
}

TEST(Shape, DividesRanksInOrder) {
  const auto levels = hierarchy::read_shape("2x2x2", 7);
  ASSERT_TRUE(levels.ok()) << levels.status().text();
  ASSERT_EQ(levels.value().size(), 2u);
  EXPECT_EQ(levels.value()[0].name, "system");
  EXPECT_EQ(levels.value()[0].group, (Numbers{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(levels.value()[1].name, "node");
  EXPECT_EQ(levels.value()[1].group, (Numbers{0, 0, 1, 1, 2, 2, 3}));
}

TEST(File, TakesShapesAndGroups) {
  const auto shape = parse("levels: [system, node, socket]\nshape: 2x2x2\n");
  ASSERT_TRUE(shape.ok()) << shape.status().text();
  EXPECT_EQ(shape.value()[2].group, (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  const auto groups = parse(
      "levels: [system, node]\ngroups:\n  - [0..1, \"4, 6\"]\n  - [[2, 3..3], [5, 7], 8..20]\n");
  ASSERT_TRUE(groups.ok()) << groups.status().text();
  const Tree tree(8, groups.value());
  EXPECT_EQ(tree.words(), "2 system x 2 node x 2 process");
  Numbers order;
  for (int i = 0; i < 8; ++i) order.push_back(tree.rank_at(i));
  EXPECT_EQ(order, (Numbers{0, 1, 4, 6, 2, 3, 5, 7}));
}

TEST(File, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "1: the file must be a map with the keys levels and shape, or levels and groups"},
      {"shape: 2x4\n", "1: the key levels is missing"},
      {"levels: [system, node]\n", "1: there must be one of the keys shape and groups"},
      {"levels: [node]\nshape: 2x4\ngroups: [0..7]\n",
       "1: there must be one of the keys shape and groups"},
      {"levels: [node]\nshpe: 2x4\n",
       "2: there is no key 'shpe'; there are levels, shape and groups"},
      {"levels: [node]\nshape: 2x4\nshape: 2x4\n", "3: 'shape' stands there twice"},
      {"levels: system\nshape: 2x4\n",
       "1: levels must be a list of names from the outside in, such as [system, node]"},
      {"levels: [node, node]\nshape: 2x4\n", "1: there are two levels called 'node'"},
      {"levels: [node]\nshape: 2*4\n",
       "2: '2*4' is not a shape such as 2x4x8, which is 2 groups of 4 groups of 8 processes"},
      {"levels: [node]\nshape: 2x0\n",
       "2: '2x0' is not a shape such as 2x4x8, which is 2 groups of 4 groups of 8 processes"},
      {"levels: [node]\nshape: 2x2x2\n",
       "2: the shape has 3 numbers for 1 levels; it has one for each, or one more for the "
       "processes in an innermost group"},
      {"levels: [node]\nshape: 2x3\n",
       "2: the shape has 6 places, the job has 8 processes; it may have fewer, not more"},
      {"levels: [node]\ngroups:\n  - 0..3\n  - 5..7\n", "3: rank 4 of the job's 8 is in no group"},
      {"levels: [node]\ngroups:\n  - 0..3\n  - 3..7\n", "4: rank 3 is in two groups"},
      {"levels: [node]\ngroups:\n  - 0..3\n  - 4-7\n",
       "4: '4-7' is not a rank or a range of ranks such as 0..3"},
      {"levels: [node]\ngroups:\n  - 3..0\n",
       "3: '3..0' is not a rank or a range of ranks such as 0..3"},
      {"levels: [node]\ngroups:\n  - [[0..3]]\n",
       "3: in a group of level 'node' there are ranks, such as 3 or 0..3"},
      {"levels: [system, node]\ngroups:\n  - 0..3\n  - 4..7\n",
       "3: here a list of groups of level 'node' is expected: groups are nested as deep as there "
       "are levels"},
      {"levels: [node]\ngroups: [0..3, 4..7\n",
       "2: did not find expected ',' or ']' while parsing a flow sequence"},
  };
  for (const auto& [text, complaint] : kCases) {
    const auto result = parse(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().code(), Errc::argument);
    EXPECT_EQ(result.status().text(), std::string("coll_hierarchy_file: m.yaml:") + complaint)
        << text;
  }
}

TEST(File, MustBeThere) {
  const auto result = hierarchy::read_description("/nowhere/m.yaml", 8);
  EXPECT_EQ(result.status().code(), Errc::not_found);
  EXPECT_STREQ(result.status().text(),
               "coll_hierarchy_file: cannot read '/nowhere/m.yaml': No such file or directory");
}

TEST(Shape, SaysWhatIsWrong) {
  EXPECT_STREQ(
      hierarchy::read_shape("8", 8).status().text(),
      "coll_hierarchy_shape: '8' has one number; a shape has 2 to 5 numbers, such as 2x4x8");
  EXPECT_STREQ(hierarchy::read_shape("2x2", 5).status().text(),
               "coll_hierarchy_shape: the shape has 4 places, the job has 5 processes; it may have "
               "fewer, not more");
}

TEST(Trees, LeaveOutWhatDividesNothing) {
  const auto tree = [](const char* shape, int processes) {
    return Tree(processes, hierarchy::read_shape(shape, processes).value());
  };
  EXPECT_EQ(tree("1x1x8", 8).stages(), 1);
  EXPECT_EQ(tree("8x1", 8).stages(), 1);
  EXPECT_EQ(tree("1x4x2", 8).stages(), 2);
  EXPECT_EQ(tree("2x4x1", 8).stages(), 2);
  EXPECT_EQ(tree("2x2x2", 3).stages(), 2);  // one system, and a node of which half is there
}

TEST(Places, AreLevelsWhereAllKnowThem) {
  const std::vector<Place> places = {{7, 0, 0}, {7, 0, 1}, {9, 0, 0}, {9, 0, 0}};
  const auto levels = hierarchy::levels_of(places);
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0].group, (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(levels[1].group, (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(levels[2].group, (Numbers{0, 1, 2, 2}));
  auto of_systems = places;
  for (Place& place : of_systems) place.system = place.machine == 7 ? 1 : 2;
  EXPECT_EQ(hierarchy::levels_of(of_systems).size(), 4u);
  auto some = places;
  some[3].cache = Place::kUnknown;
  EXPECT_EQ(hierarchy::levels_of(some).size(), 2u);
}

}  // namespace
}  // namespace tessera::coll::test
