// SPDX-License-Identifier: BSD-3-Clause
// The portable representation, byte by byte.
#include "core/datatype/external32.h"

#include "tests/datatype/types.h"

namespace tessera::test {
namespace {

template <class T>
std::string external(MPI_Datatype handle, T value) {
  const TypeObject& type = named(handle);
  std::vector<unsigned char> out(static_cast<std::size_t>(external32_size(type)));
  external32_pack(type, &value, 1, out.data());
  std::string text;
  for (const unsigned char byte : out) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  T back{};
  external32_unpack(type, &back, 1, out.data());
  EXPECT_EQ(back, value);
  return text;
}

TEST(External32, MostSignificantByteFirst) {
  EXPECT_EQ(external<int>(MPI_INT, 0x01020304), "01020304");
  EXPECT_EQ(external<short>(MPI_SHORT, -2), "fffe");
  EXPECT_EQ(external<long long>(MPI_LONG_LONG, -2), "fffffffffffffffe");
  EXPECT_EQ(external<char>(MPI_CHAR, 'A'), "41");
  EXPECT_EQ(external<float>(MPI_FLOAT, 1.0F), "3f800000");
  EXPECT_EQ(external<double>(MPI_DOUBLE, -2.0), "c000000000000000");
  EXPECT_EQ(external<MPI_Aint>(MPI_AINT, 1), "0000000000000001");
  EXPECT_EQ(external<int>(MPI_LOGICAL, 1), "00000001");
}

TEST(External32, SomeTypesAreShorter) {
  EXPECT_EQ(external<long>(MPI_LONG, -3), "fffffffd");
  EXPECT_EQ(external<unsigned long>(MPI_UNSIGNED_LONG, 0xfffffffdUL), "fffffffd");
  EXPECT_EQ(external<wchar_t>(MPI_WCHAR, L'A'), "0041");
}

TEST(External32, LongDoublesAreQuadruple) {
  EXPECT_EQ(external<long double>(MPI_LONG_DOUBLE, 1.0L), "3fff" + std::string(28, '0'));
  EXPECT_EQ(external<long double>(MPI_LONG_DOUBLE, -1.5L), "bfff8" + std::string(27, '0'));
}

TEST(External32, PartsOfComplexNumbersAreTurnedOneByOne) {
  struct Complex {
    float re, im;
    bool operator==(const Complex& other) const { return re == other.re && im == other.im; }
  };
  EXPECT_EQ((external<Complex>(MPI_C_FLOAT_COMPLEX, {1.0F, -2.0F})), "3f800000c0000000");
}

TEST(External32, SizesLeavePaddingOut) {
  EXPECT_EQ(external32_size(named(MPI_DOUBLE_INT)), 12);
  EXPECT_EQ(external32_size(named(MPI_LONG_INT)), 8);
  const Type mixed = structure({2, 3}, {0, 64}, {&named(MPI_LONG), &named(MPI_CHAR)});
  EXPECT_EQ(external32_size(*mixed), 11);
  EXPECT_EQ(external32_size(*made(make_contiguous(5, *mixed, RecipeForm::plain))), 55);
}

TEST(External32, TellsWhatWouldBeCut) {
  const long fits[] = {-1, 0, 2147483647L, -2147483648L};
  const long cut[] = {0, 2147483648L};
  EXPECT_TRUE(external32_fits(named(MPI_LONG), fits, 4));
  EXPECT_TRUE(external32_fits(named(MPI_LONG), cut, 1));
  EXPECT_FALSE(external32_fits(named(MPI_LONG), cut, 2));
  EXPECT_TRUE(external32_fits(named(MPI_UNSIGNED_LONG), cut, 2));
  EXPECT_TRUE(external32_fits(named(MPI_LONG_LONG), cut, 2));
  const Type apart = structure({1, 1}, {0, 8}, {&named(MPI_LONG), &named(MPI_LONG)});
  EXPECT_FALSE(external32_fits(*apart, cut, 1));
}

TEST(External32, UnpacksAsMuchAsThereIs) {
  const Type mixed = structure({1, 1}, {0, 8}, {&named(MPI_INT), &named(MPI_LONG)});
  const unsigned char in[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
  struct Mixed {
    int first = 0;
    long second = 0;
  } out[3];
  EXPECT_EQ(external32_unpack_some(*mixed, out, 3, in, 16), 24);
  EXPECT_EQ(out[1].second, 4);
  EXPECT_EQ(out[2].first, 0);
  Mixed fewer[3];
  EXPECT_EQ(external32_unpack_some(*mixed, fewer, 3, in, 12), 16);
  EXPECT_EQ(fewer[1].first, 3);
  EXPECT_EQ(fewer[1].second, 0);
  EXPECT_EQ(external32_unpack_some(*mixed, fewer, 1, in, 16), 12);
}

}  // namespace
}  // namespace tessera::test
