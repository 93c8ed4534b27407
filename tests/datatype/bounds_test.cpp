// SPDX-License-Identifier: BSD-3-Clause
// Bounds and sizes of the examples of the MPI-1 standard, chapter 3.
#include "tests/datatype/types.h"

namespace tessera::test {
namespace {

// {(double, 0), (char, 8)}
Type double_char() {
  return structure({1, 1}, {0, 8}, {&named(MPI_DOUBLE), &named(MPI_CHAR)});
}

TEST(Bounds, OfTheExamples) {
  const Type pair = double_char();
  EXPECT_EQ(pair->extent(), 16);
  EXPECT_EQ(pair->size(), 9);
  EXPECT_EQ(pair->true_extent(), 9);
  EXPECT_FALSE(pair->contiguous());

  const Type three = made(make_contiguous(3, *pair, RecipeForm::plain));
  EXPECT_EQ(three->extent(), 48);
  EXPECT_EQ(three->size(), 27);

  EXPECT_EQ(made(make_vector(2, 3, 4, *pair, RecipeForm::plain))->extent(), 112);

  const Type backwards = made(make_vector(3, 1, -2, *pair, RecipeForm::plain));
  EXPECT_EQ(backwards->lb(), -64);
  EXPECT_EQ(backwards->ub(), 16);

  const std::vector<Count> lengths = {3, 1}, places = {4, 0};
  const Type indexed = made(make_indexed(lengths, places, *pair, RecipeForm::plain));
  EXPECT_EQ(indexed->extent(), 112);
  EXPECT_EQ(indexed->size(), 36);

  const Type mixed =
      structure({2, 1, 3}, {0, 16, 26}, {&named(MPI_FLOAT), pair.get(), &named(MPI_CHAR)});
  EXPECT_EQ(mixed->extent(), 32);
  EXPECT_EQ(mixed->size(), 20);
}

TEST(Bounds, MarkersStick) {
  const Type marked =
      structure({1, 1, 1}, {-3, 0, 6}, {&named(MPI_LB), &named(MPI_INT), &named(MPI_UB)});
  EXPECT_EQ(marked->lb(), -3);
  EXPECT_EQ(marked->extent(), 9);
  EXPECT_EQ(marked->size(), 4);
  const Type two = made(make_contiguous(2, *marked, RecipeForm::plain));
  EXPECT_EQ(two->lb(), -3);
  EXPECT_EQ(two->ub(), 15);
  EXPECT_EQ(two->extent(), 18);
  // An int beyond the upper marker does not move it.
  const Type beyond = structure({1, 1}, {0, 100}, {marked.get(), &named(MPI_INT)});
  EXPECT_EQ(beyond->ub(), 6);
  EXPECT_EQ(beyond->true_extent(), 104);
}

TEST(Bounds, LowerMarkerAloneStillRoundsTheExtent) {
  const Type marked =
      structure({1, 1, 1}, {-2, 0, 8}, {&named(MPI_LB), &named(MPI_DOUBLE), &named(MPI_CHAR)});
  EXPECT_EQ(marked->lb(), -2);
  EXPECT_EQ(marked->extent() % 8, 0);
  EXPECT_EQ(marked->ub(), 14);
}

TEST(Bounds, ResizedReplacesMarkers) {
  const Type marked = structure({1, 1}, {0, 40}, {&named(MPI_INT), &named(MPI_UB)});
  const Type smaller = made(make_resized(*marked, 2, 10, RecipeForm::plain));
  EXPECT_EQ(smaller->lb(), 2);
  EXPECT_EQ(smaller->extent(), 10);
  EXPECT_EQ(smaller->true_lb(), 0);
  EXPECT_EQ(smaller->true_extent(), 4);
  EXPECT_EQ(made(make_resized(named(MPI_INT), 0, -4, RecipeForm::plain))->extent(), -4);
}

TEST(Bounds, EmptyTypesAreAllZero) {
  const Type empty = made(make_contiguous(0, named(MPI_DOUBLE), RecipeForm::plain));
  EXPECT_EQ(empty->size(), 0);
  EXPECT_EQ(empty->extent(), 0);
  EXPECT_EQ(empty->lb(), 0);
  // A block of length 0 counts for nothing, not even for the bounds.
  const Type one = structure({1, 0}, {0, 1'000}, {&named(MPI_INT), &named(MPI_DOUBLE)});
  EXPECT_EQ(one->extent(), 4);
}

TEST(Bounds, EquivalentTypesAreTheSame) {
  const Type contiguous = made(make_contiguous(6, named(MPI_INT), RecipeForm::plain));
  const Type vector = made(make_vector(6, 1, 1, named(MPI_INT), RecipeForm::plain));
  const Type one_block = made(make_vector(1, 6, 99, named(MPI_INT), RecipeForm::plain));
  const std::vector<Count> lengths = {2, 4}, places = {0, 2};
  const Type indexed = made(make_indexed(lengths, places, named(MPI_INT), RecipeForm::plain));
  for (const Type* type : {&contiguous, &vector, &one_block, &indexed}) {
    EXPECT_EQ((*type)->extent(), 24);
    EXPECT_TRUE((*type)->contiguous());
    EXPECT_EQ((*type)->signature().hash, contiguous->signature().hash);
  }
}

TEST(Bounds, NamesOfOneNumberHaveOneSignature) {
  const auto hash = [](MPI_Datatype type) { return named(type).signature().hash; };
  EXPECT_EQ(hash(MPI_INT), hash(MPI_INT32_T));
  EXPECT_EQ(hash(MPI_INT), hash(MPI_INTEGER));
  EXPECT_EQ(hash(MPI_LONG), hash(MPI_LONG_LONG));
  EXPECT_EQ(hash(MPI_DOUBLE), hash(MPI_REAL8));
  EXPECT_NE(hash(MPI_INT), hash(MPI_UNSIGNED));
  EXPECT_NE(hash(MPI_INT), hash(MPI_FLOAT));
  EXPECT_NE(hash(MPI_INT), hash(MPI_LONG));
}

TEST(Bounds, NothingIsAnInt) {
  const Count billion = 1'000'000'000;
  const Type large = made(make_contiguous(billion, named(MPI_DOUBLE), RecipeForm::plain));
  EXPECT_EQ(large->size(), 8 * billion);
  const Type wide = made(make_vector(billion, 1, 1'000, named(MPI_DOUBLE), RecipeForm::plain));
  EXPECT_EQ(wide->extent(), (billion - 1) * 8'000 + 8);
  EXPECT_EQ(wide->signature().elements, billion);
}

TEST(Bounds, OverflowIsAnError) {
  const Type large = made(make_contiguous(Count{1} << 60, named(MPI_CHAR), RecipeForm::large));
  EXPECT_NE(refused(make_contiguous(16, *large, RecipeForm::large)).find("size"),
            std::string::npos);
  EXPECT_NE(refused(make_hvector(16, 1, Count{1} << 60, named(MPI_CHAR), RecipeForm::large))
                .find("bound"),
            std::string::npos);
  EXPECT_NE(
      refused(make_resized(named(MPI_CHAR), Count{1} << 62, Count{1} << 62, RecipeForm::large))
          .find("bound"),
      std::string::npos);
}

}  // namespace
}  // namespace tessera::test
