// SPDX-License-Identifier: BSD-3-Clause
// What the fuzz does not reach: distributed arrays, wrong arguments, life
// times, normal forms.
#include <numeric>

#include "tests/datatype/rebuild.h"

namespace tessera::test {
namespace {

// The indices of the elements of an int array that a type picks.
std::vector<int> picked(const TypeObject& type) {
  std::vector<int> array(static_cast<std::size_t>(type.extent()) / sizeof(int));
  std::iota(array.begin(), array.end(), 0);
  std::vector<int> out(static_cast<std::size_t>(type.size()) / sizeof(int));
  PackCursor(type, array.data(), 1).pack(out.data(), out.size() * sizeof(int));
  return out;
}

Type darray(int size, int rank, std::vector<Count> gsizes, std::vector<int> distributions,
            std::vector<int> arguments, std::vector<int> processes, int order = 0xC) {
  return made(make_darray({size, rank, gsizes, distributions, arguments, processes, order},
                          named(MPI_INT), RecipeForm::plain));
}

constexpr int kNone = 16, kBlock = 17, kCyclic = 18, kDefault = 19;

TEST(DistributedArray, Blocks) {
  EXPECT_EQ(picked(*darray(3, 0, {10}, {kBlock}, {kDefault}, {3})), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(picked(*darray(3, 2, {10}, {kBlock}, {kDefault}, {3})), (std::vector<int>{8, 9}));
  EXPECT_EQ(darray(3, 2, {10}, {kBlock}, {kDefault}, {3})->extent(), 40);
  const Type nothing = darray(4, 3, {4}, {kBlock}, {2}, {4});
  EXPECT_EQ(nothing->size(), 0);
  EXPECT_EQ(nothing->extent(), 16);
}

TEST(DistributedArray, Cyclic) {
  EXPECT_EQ(picked(*darray(3, 1, {10}, {kCyclic}, {kDefault}, {3})), (std::vector<int>{1, 4, 7}));
  EXPECT_EQ(picked(*darray(2, 0, {10}, {kCyclic}, {3}, {2})), (std::vector<int>{0, 1, 2, 6, 7, 8}));
  EXPECT_EQ(picked(*darray(2, 1, {10}, {kCyclic}, {3}, {2})), (std::vector<int>{3, 4, 5, 9}));
}

// Every element belongs to exactly one process, and ascending indices stay
// ascending.
TEST(DistributedArray, ProcessesShareTheArray) {
  for (const int order : {0xC, 0xF}) {
    std::vector<int> owners(5 * 7 * 3, 0);
    for (int rank = 0; rank < 6; ++rank) {
      const Type type = darray(6, rank, {5, 7, 3}, {kCyclic, kBlock, kNone},
                               {2, kDefault, kDefault}, {2, 3, 1}, order);
      EXPECT_EQ(type->extent(), 4 * 5 * 7 * 3);
      const auto mine = picked(*type);
      EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
      for (const int i : mine) ++owners[static_cast<std::size_t>(i)];
      EXPECT_EQ(rebuild(*type)->size(), type->size());
    }
    EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
  }
}

TEST(DistributedArray, WrongArgumentsAreNamed) {
  const auto wrong = [](DistributedArray array) {
    return refused(make_darray(array, named(MPI_INT), RecipeForm::plain));
  };
  const std::vector<Count> ten = {10};
  const std::vector<int> block = {kBlock}, none = {kNone}, nonsense = {3}, by_default = {kDefault},
                         two = {2}, one = {1};
  EXPECT_NE(wrong({2, 2, ten, block, by_default, two, 0xC}).find("`rank` is 2; valid are 0..1"),
            std::string::npos);
  EXPECT_NE(wrong({2, 0, ten, block, two, two, 0xC}).find("at least 5"), std::string::npos);
  EXPECT_NE(wrong({2, 0, ten, none, by_default, two, 0xC}).find("array_of_psizes[0]"),
            std::string::npos);
  EXPECT_NE(wrong({2, 0, ten, nonsense, by_default, two, 0xC}).find("array_of_distribs[0]` is 3"),
            std::string::npos);
  EXPECT_NE(wrong({2, 0, ten, block, by_default, one, 0xC}).find("grid of 1"), std::string::npos);
  EXPECT_NE(wrong({2, 0, ten, block, by_default, two, 7}).find("`order` is 7"), std::string::npos);
}

TEST(Constructors, WrongArgumentsAreNamed) {
  const TypeObject& type = named(MPI_INT);
  EXPECT_NE(refused(make_contiguous(-1, type, RecipeForm::plain)).find("`count` is -1"),
            std::string::npos);
  EXPECT_NE(refused(make_vector(1, -2, 0, type, RecipeForm::plain)).find("`blocklength` is -2"),
            std::string::npos);
  const std::vector<Count> lengths = {1, -3}, places = {0, 0}, four = {4}, two = {2}, three = {3};
  EXPECT_NE(refused(make_indexed(lengths, places, type, RecipeForm::plain))
                .find("array_of_blocklengths[1]` is -3"),
            std::string::npos);
  EXPECT_NE(
      refused(make_subarray(four, two, three, 0xC, type, RecipeForm::plain)).find("valid are 0..2"),
      std::string::npos);
  EXPECT_NE(
      refused(make_subarray(two, four, three, 0xC, type, RecipeForm::plain)).find("valid are 1..2"),
      std::string::npos);
}

TEST(Constructors, TypesOutliveThoseTheyAreMadeOf) {
  Type inner = made(make_vector(3, 1, 2, named(MPI_INT), RecipeForm::plain));
  const Type outer = made(make_contiguous(2, *inner, RecipeForm::plain));
  inner.reset();
  EXPECT_EQ(picked(*outer), (std::vector<int>{0, 2, 4, 5, 7, 9}));
  EXPECT_EQ(outer->recipe()->types()[0]->size(), 12);
}

TEST(Constructors, DuplicatesKnowWhatTheyAreCopiesOf) {
  const Type type = made(make_vector(3, 1, 2, named(MPI_INT), RecipeForm::plain));
  const Type copy = made(make_dup(*type));
  EXPECT_TRUE(copy->committed());
  EXPECT_EQ(copy->recipe()->combiner(), Combiner::dup);
  EXPECT_EQ(copy->recipe()->types()[0], type.get());
  const Type twin(type->clone());
  EXPECT_EQ(twin->recipe(), type->recipe());
  EXPECT_EQ(picked(*twin), picked(*type));
}

TEST(NormalForm, RegularListsBecomeLoops) {
  const std::vector<Count> places = {0, 3, 6, 9};
  const Type type = made(make_indexed_block(1, places, named(MPI_INT), RecipeForm::plain));
  ASSERT_NE(type->layout().node, nullptr);
  EXPECT_EQ(type->layout().node->shape, Node::Shape::grid);
  EXPECT_EQ(type->layout().node->dims[0].count, 4);
}

TEST(NormalForm, SubarraysAreGrids) {
  const std::vector<Count> sizes = {10, 20, 30}, sub = {2, 3, 4}, starts = {1, 1, 1};
  const Type type =
      made(make_subarray(sizes, sub, starts, 0xC, named(MPI_DOUBLE), RecipeForm::plain));
  const Node& node = *type->layout().node;
  EXPECT_EQ(node.shape, Node::Shape::grid);
  EXPECT_EQ(node.depth, 2);
  EXPECT_EQ(node.block, 32);
}

TEST(NormalForm, FullPlanesMerge) {
  const std::vector<Count> sizes = {10, 20, 30}, sub = {2, 20, 30}, starts = {4, 0, 0};
  const Type type =
      made(make_subarray(sizes, sub, starts, 0xC, named(MPI_DOUBLE), RecipeForm::plain));
  EXPECT_EQ(type->layout().node, nullptr);
  EXPECT_EQ(type->layout().offset, 4 * 20 * 30 * 8);
}

TEST(NormalForm, DeepNestingStaysShallow) {
  // Each level repeats the last one twice, with a gap: sizes double, so 40
  // levels are 2^40 elements.
  Type type = made(make_contiguous(1, named(MPI_INT), RecipeForm::plain));
  for (int level = 0; level < 40; ++level) {
    const std::vector<Count> places = {0, type->extent() + 4};
    const std::vector<Count> lengths = {1, 1};
    type = made(make_hindexed(lengths, places, *type, RecipeForm::plain));
  }
  EXPECT_EQ(type->size(), Count{4} << 40);
  PackCursor cursor(*type, nullptr, 1);
  cursor.seek(static_cast<std::size_t>(type->size()) - 4);
  EXPECT_EQ(cursor.run().size(), 4U);
  EXPECT_EQ(reinterpret_cast<Aint>(cursor.run().data()), type->true_lb() + type->true_extent() - 4);
}

}  // namespace
}  // namespace tessera::test
