// SPDX-License-Identifier: BSD-3-Clause
// Basic elements in received data.
#include "core/datatype/elements.h"

#include "tests/datatype/types.h"

namespace tessera::test {
namespace {

TEST(Elements, OfTwoReals) {
  const Type two = made(make_contiguous(2, named(MPI_REAL), RecipeForm::plain));
  EXPECT_EQ(elements_in(*two, 8), 2);
  EXPECT_EQ(elements_in(*two, 12), 3);
  EXPECT_EQ(elements_in(*two, 13), std::nullopt);
}

TEST(Elements, OfMixedTypes) {
  const Type mixed = structure({1, 1}, {0, 8}, {&named(MPI_DOUBLE), &named(MPI_CHAR)});
  EXPECT_EQ(elements_in(*mixed, 17), 3);
  EXPECT_EQ(elements_in(*mixed, 18), 4);
  EXPECT_EQ(bytes_of_elements(*mixed, 3), 17);
}

TEST(Elements, OfPairs) {
  EXPECT_EQ(elements_in(named(MPI_DOUBLE_INT), 24), 4);
  EXPECT_EQ(elements_in(named(MPI_DOUBLE_INT), 20), 3);
  EXPECT_EQ(elements_in(named(MPI_SHORT_INT), 6), 2);
}

TEST(Elements, OfNothing) {
  const Type empty = made(make_contiguous(0, named(MPI_INT), RecipeForm::plain));
  EXPECT_EQ(elements_in(*empty, 0), 0);
  EXPECT_EQ(elements_in(named(MPI_INT), 0), 0);
}

}  // namespace
}  // namespace tessera::test
