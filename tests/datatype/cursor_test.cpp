// SPDX-License-Identifier: BSD-3-Clause
// Cursors over larger data, where every kernel is met.
#include <cstring>
#include <numeric>

#include "tests/datatype/types.h"

namespace tessera::test {
namespace {

std::vector<std::byte> pattern(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

// Blocks of each size from 1 to 200 bytes, with gaps, packed and unpacked whole
// and in pieces of 77 bytes.
class Blocks : public testing::TestWithParam<Count> {};

TEST_P(Blocks, ComeAndGo) {
  const Count block = GetParam(), gap = 5, n = 37;
  const Type type = made(make_hvector(n, block, block + gap, named(MPI_BYTE), RecipeForm::plain));
  const std::vector<std::byte> data = pattern(static_cast<std::size_t>(n * (block + gap)));
  std::vector<std::byte> packed(static_cast<std::size_t>(type->size()));
  ASSERT_EQ(PackCursor(*type, data.data(), 1).pack(packed.data(), packed.size()), packed.size());
  for (Count i = 0; i < n; ++i) {
    ASSERT_EQ(std::memcmp(packed.data() + i * block, data.data() + i * (block + gap),
                          static_cast<std::size_t>(block)),
              0);
  }
  std::vector<std::byte> back(data.size());
  PackCursor cursor(*type, back.data(), 1);
  while (cursor.remaining() > 0) cursor.unpack(packed.data() + cursor.position(), 77);
  for (Count i = 0; i < n; ++i) {
    for (Count b = 0; b < block + gap; ++b) {
      const std::size_t at = static_cast<std::size_t>(i * (block + gap) + b);
      ASSERT_EQ(back[at], b < block ? data[at] : std::byte{0});
    }
  }
}

// A struct of blocks of many sizes, the first of them the parameter's, repeated: whole, and from
// and to places inside.
TEST_P(Blocks, AreRepeatedInStructs) {
  const Count n = 700;
  const std::vector<Count> lengths = {GetParam(), 1, 17, 66, 8, 3},
                           places = {40, 300, 2, 320, 21, 250};
  const Count extent = 401;
  const Type fields = made(make_hindexed(lengths, places, named(MPI_BYTE), RecipeForm::plain));
  const Type type = made(make_resized(*fields, 0, extent, RecipeForm::plain));
  const std::vector<std::byte> data = pattern(static_cast<std::size_t>(n * extent));
  std::vector<std::byte> expected, gaps(data.size()), back(data.size());
  for (Count i = 0; i < n; ++i) {
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      const auto from = data.begin() + i * extent + places[b];
      expected.insert(expected.end(), from, from + lengths[b]);
      std::copy_n(from, lengths[b], gaps.begin() + i * extent + places[b]);
    }
  }
  std::vector<std::byte> packed(expected.size());
  ASSERT_EQ(PackCursor(*type, data.data(), n).pack(packed.data(), packed.size()), packed.size());
  ASSERT_EQ(packed, expected);
  PackCursor cursor(*type, back.data(), n);
  while (cursor.remaining() > 0) cursor.unpack(packed.data() + cursor.position(), 10'007);
  ASSERT_EQ(back, gaps);
}

TEST_P(Blocks, ComeFromLists) {
  const Count block = GetParam();
  const std::vector<Count> places = {900, 0, 450, 1'350, 2'000};
  const Type type = made(make_hindexed_block(block, places, named(MPI_BYTE), RecipeForm::plain));
  const std::vector<std::byte> data = pattern(2'300);
  std::vector<std::byte> packed(static_cast<std::size_t>(type->size())), back(data.size()),
      again(packed.size());
  PackCursor(*type, data.data(), 1).pack(packed.data(), packed.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(std::memcmp(packed.data() + static_cast<Count>(i) * block, data.data() + places[i],
                          static_cast<std::size_t>(block)),
              0);
  }
  PackCursor(*type, back.data(), 1).unpack(packed.data(), packed.size());
  PackCursor(*type, back.data(), 1).pack(again.data(), again.size());
  EXPECT_EQ(packed, again);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Blocks, testing::Range(Count{1}, Count{200}));

struct Particle {
  int id;
  double position[3];
  char tag;
};

Type particle_type() {
  const Type fields = structure(
      {1, 3, 1}, {offsetof(Particle, id), offsetof(Particle, position), offsetof(Particle, tag)},
      {&named(MPI_INT), &named(MPI_DOUBLE), &named(MPI_CHAR)});
  return made(make_resized(*fields, 0, sizeof(Particle), RecipeForm::plain));
}

TEST(Cursor, ArraysOfStructs) {
  std::vector<Particle> particles(5'000);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double x = static_cast<double>(i);
    particles[i] = {static_cast<int>(i), {x, x + 1, x + 2}, static_cast<char>(i)};
  }
  const Type type = particle_type();
  ASSERT_EQ(type->extent(), static_cast<Aint>(sizeof(Particle)));
  std::vector<std::byte> packed(particles.size() * 29);
  PackCursor(*type, particles.data(), static_cast<Count>(particles.size()))
      .pack(packed.data(), packed.size());
  std::vector<Particle> back(particles.size());
  PackCursor(*type, back.data(), static_cast<Count>(back.size()))
      .unpack(packed.data(), packed.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    ASSERT_EQ(back[i].id, particles[i].id);
    ASSERT_EQ(back[i].position[2], particles[i].position[2]);
    ASSERT_EQ(back[i].tag, particles[i].tag);
  }
}

TEST(Cursor, TransposesAMatrix) {
  constexpr int n = 30;
  std::vector<int> matrix(n * n), transposed(n * n);
  std::iota(matrix.begin(), matrix.end(), 0);
  const Type column = made(make_vector(n, 1, n, named(MPI_INT), RecipeForm::plain));
  const Type by_columns = made(make_hvector(n, 1, sizeof(int), *column, RecipeForm::plain));
  PackCursor(*by_columns, matrix.data(), 1).pack(transposed.data(), matrix.size() * sizeof(int));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(transposed[i * n + j], matrix[j * n + i]);
  }
}

TEST(Cursor, AbsoluteAddresses) {
  int a = 3;
  double b = 2.5;
  const Type type = structure({1, 1}, {reinterpret_cast<Aint>(&a), reinterpret_cast<Aint>(&b)},
                              {&named(MPI_INT), &named(MPI_DOUBLE)});
  std::byte packed[12];
  ASSERT_EQ(PackCursor(*type, nullptr, 1).pack(packed, sizeof packed), sizeof packed);
  a = 0;
  b = 0;
  PackCursor(*type, nullptr, 1).unpack(packed, sizeof packed);
  EXPECT_EQ(a, 3);
  EXPECT_EQ(b, 2.5);
}

TEST(Cursor, FourDimensionsAndNegativeStrides) {
  std::vector<int> data(3 * 4 * 5 * 6);
  std::iota(data.begin(), data.end(), 0);
  const std::vector<Count> sizes = {3, 4, 5, 6}, sub = {2, 2, 3, 4}, starts = {1, 1, 1, 1};
  const Type part = made(make_subarray(sizes, sub, starts, 0xC, named(MPI_INT), RecipeForm::plain));
  std::vector<int> packed(48), expected;
  PackCursor(*part, data.data(), 1).pack(packed.data(), 48 * sizeof(int));
  for (int a = 1; a < 3; ++a)
    for (int b = 1; b < 3; ++b)
      for (int c = 1; c < 4; ++c)
        for (int d = 1; d < 5; ++d) expected.push_back(((a * 4 + b) * 5 + c) * 6 + d);
  EXPECT_EQ(packed, expected);
  const Type backwards = made(make_vector(6, 1, -1, named(MPI_INT), RecipeForm::plain));
  PackCursor(*backwards, data.data() + 5, 1).pack(packed.data(), 24);
  EXPECT_EQ(std::vector<int>(packed.begin(), packed.begin() + 6),
            (std::vector<int>{5, 4, 3, 2, 1, 0}));
}

}  // namespace
}  // namespace tessera::test
