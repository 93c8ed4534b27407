// SPDX-License-Identifier: BSD-3-Clause
// What a message says about its types, and which receives that fits.
#include "tessera/pml.h"
#include "tests/datatype/types.h"

namespace tessera::test {
namespace {

bool fits(const Datatype& sent, Count count, const Datatype& wanted) {
  const auto bytes = static_cast<std::uint64_t>(sent.size() * count);
  return pml::signature_fits(pml::signature_mark(sent, count), bytes, wanted);
}

TEST(SignatureMark, OneTypeIsKnownByName) {
  EXPECT_STREQ(pml::signature_name(pml::signature_mark(named(MPI_INT), 7)), "MPI_INT");
  EXPECT_TRUE(fits(named(MPI_INT), 7, named(MPI_INT)));
  EXPECT_TRUE(fits(named(MPI_INT), 7, named(MPI_INT32_T)));
  EXPECT_TRUE(fits(named(MPI_2INT), 1, named(MPI_INTEGER4)));
  EXPECT_FALSE(fits(named(MPI_INT), 7, named(MPI_FLOAT)));
  EXPECT_FALSE(fits(named(MPI_INT), 7, named(MPI_UNSIGNED)));
  EXPECT_FALSE(fits(named(MPI_INT), 2, named(MPI_LONG)));
  EXPECT_FALSE(fits(named(MPI_INT), 1, named(MPI_DOUBLE)));  // not even one element
}

TEST(SignatureMark, SomeFitEverything) {
  const Type both = structure({1, 1}, {0, 8}, {&named(MPI_INT), &named(MPI_DOUBLE)});
  for (const MPI_Datatype any : {MPI_BYTE, MPI_PACKED}) {
    EXPECT_EQ(pml::signature_mark(named(any), 12), 0);
    EXPECT_TRUE(fits(named(any), 12, *both));
    EXPECT_TRUE(fits(*both, 1, named(any)));
  }
  EXPECT_EQ(pml::signature_mark(named(MPI_INT), 0), 0);
  EXPECT_TRUE(fits(named(MPI_INT), 0, named(MPI_DOUBLE)));
}

TEST(SignatureMark, SequencesAreComparedAsFarAsTheMessageGoes) {
  const Type both = structure({1, 1}, {0, 8}, {&named(MPI_INT), &named(MPI_DOUBLE)});
  const Type turned = structure({1, 1}, {0, 8}, {&named(MPI_DOUBLE), &named(MPI_INT)});
  const Type names = structure({1, 1}, {0, 4}, {&named(MPI_INT), &named(MPI_INT32_T)});
  EXPECT_STREQ(pml::signature_name(pml::signature_mark(*both, 1)), "several types");
  EXPECT_TRUE(fits(*both, 5, *both));
  EXPECT_FALSE(fits(*both, 5, *turned));
  EXPECT_FALSE(fits(named(MPI_INT), 3, *both));
  EXPECT_FALSE(fits(*both, 1, named(MPI_INT)));
  EXPECT_TRUE(fits(*names, 3, named(MPI_INT)));
  EXPECT_TRUE(fits(named(MPI_INT), 6, *names));
  EXPECT_TRUE(fits(named(MPI_INT), 1, *both));  // the message ends inside an element
}

}  // namespace
}  // namespace tessera::test
