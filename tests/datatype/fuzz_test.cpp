// SPDX-License-Identifier: BSD-3-Clause
// Random type trees against written-out type maps.
#include <cstring>
#include <random>

#include "core/datatype/elements.h"
#include "core/datatype/external32.h"
#include "tests/datatype/rebuild.h"
#include "tests/datatype/reference.h"

namespace tessera::test {
namespace {

constexpr std::size_t kLargest = 3'000;  // entries of a type map

struct Made {
  Type type;
  TypeMap map;
};

class Forge {
 public:
  explicit Forge(unsigned seed) : random_(seed) {}

  Count number(Count least, Count most) {
    return std::uniform_int_distribution<Count>(least, most)(random_);
  }

  Made basic() {
    static const MPI_Datatype kinds[] = {MPI_CHAR,        MPI_SHORT,  MPI_INT, MPI_DOUBLE,
                                         MPI_LONG_DOUBLE, MPI_C_BOOL, MPI_LONG};
    const TypeObject& type = named(kinds[number(0, std::size(kinds) - 1)]);
    Made made;
    made.type = Type(const_cast<TypeObject*>(&type));
    made.map.data = {{type.kind(), 0}};
    return made;
  }

  Made tree(int depth) {
    if (depth == 0) return basic();
    for (;;) {
      Made child = tree(depth - 1);
      Made result = wrap(child, depth);
      if (result.map.data.size() <= kLargest) return result;
    }
  }

 private:
  std::vector<Count> numbers(std::size_t n, Count least, Count most) {
    std::vector<Count> all(n);
    for (Count& value : all) value = number(least, most);
    return all;
  }

  // The map of copies of the child's: lengths[i] of them in a row from each
  // displacement on.
  static TypeMap blocks(const TypeMap& child, const std::vector<Count>& lengths,
                        const std::vector<Count>& at, Aint unit) {
    TypeMap map;
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (Count k = 0; k < lengths[i]; ++k) map.add(child, at[i] * unit + k * child.extent());
    }
    return map;
  }

  Made vectors(const Made& child, bool bytes) {
    const Count count = number(0, 5), length = number(0, 4);
    const Count stride = bytes ? number(-40, 80) : number(-6, 8);
    const RecipeForm form = number(0, 1) == 0 ? RecipeForm::plain : RecipeForm::large;
    std::vector<Count> at;
    for (Count i = 0; i < count; ++i) at.push_back(i * stride);
    Made made_now;
    made_now.map = blocks(child.map, std::vector<Count>(at.size(), length), at,
                          bytes ? 1 : child.map.extent());
    made_now.type = made(bytes ? make_hvector(count, length, stride, *child.type, form)
                               : make_vector(count, length, stride, *child.type, form));
    return made_now;
  }

  Made indexed(const Made& child, bool bytes, bool equal) {
    const std::size_t n = static_cast<std::size_t>(number(0, 6));
    const auto at = bytes ? numbers(n, -100, 300) : numbers(n, -5, 20);
    const Count length = number(0, 3);
    const auto lengths = equal ? std::vector<Count>(n, length) : numbers(n, 0, 3);
    const RecipeForm form = number(0, 1) == 0 ? RecipeForm::plain : RecipeForm::large;
    Made result;
    result.map = blocks(child.map, lengths, at, bytes ? 1 : child.map.extent());
    if (equal) {
      result.type = made(bytes ? make_hindexed_block(length, at, *child.type, form)
                               : make_indexed_block(length, at, *child.type, form));
    } else {
      result.type = made(bytes ? make_hindexed(lengths, at, *child.type, form)
                               : make_indexed(lengths, at, *child.type, form));
    }
    return result;
  }

  Made structs(const Made& child, int depth) {
    const Made other = tree(static_cast<int>(number(0, depth - 1)));
    const std::vector<Count> lengths = numbers(4, 0, 2);
    const bool in_order = number(0, 1) == 0;
    std::vector<Count> at = numbers(4, -60, 200);
    if (in_order) std::sort(at.begin(), at.end());
    std::vector<const TypeObject*> types = {child.type.get(), other.type.get(), child.type.get(),
                                            other.type.get()};
    Made result;
    for (std::size_t i = 0; i < 4; ++i) {
      const TypeMap& part = types[i] == child.type.get() ? child.map : other.map;
      for (Count k = 0; k < lengths[i]; ++k) result.map.add(part, at[i] + k * part.extent());
    }
    if (number(0, 3) == 0) {
      types[3] = &named(number(0, 1) == 0 ? MPI_LB : MPI_UB);
      result.map = {};
      for (std::size_t i = 0; i < 3; ++i) {
        const TypeMap& part = types[i] == child.type.get() ? child.map : other.map;
        for (Count k = 0; k < lengths[i]; ++k) result.map.add(part, at[i] + k * part.extent());
      }
      auto& markers =
          types[3] == &named(MPI_LB) ? result.map.lower_markers : result.map.upper_markers;
      for (Count k = 0; k < lengths[3]; ++k) markers.push_back(at[3]);
    }
    result.type = structure(lengths, at, types);
    return result;
  }

  Made resized(const Made& child) {
    const Count lb = number(-20, 20), extent = number(0, 120);
    Made result;
    result.map = child.map;
    result.map.lower_markers = {lb};
    result.map.upper_markers = {lb + extent};
    result.type = made(make_resized(*child.type, lb, extent,
                                    number(0, 1) == 0 ? RecipeForm::plain : RecipeForm::large));
    return result;
  }

  Made subarrays(const Made& child) {
    const std::size_t dimensions = static_cast<std::size_t>(number(1, 3));
    std::vector<Count> sizes = numbers(dimensions, 1, 4), subsizes, starts;
    for (const Count size : sizes) {
      subsizes.push_back(number(1, size));
      starts.push_back(number(0, size - subsizes.back()));
    }
    const bool fortran = number(0, 1) == 0;
    Made result;
    const Aint extent = child.map.extent();
    std::vector<Count> i(dimensions, 0);
    for (bool more = true; more;) {
      Aint place = 0;
      for (std::size_t n = 0; n < dimensions; ++n) {
        const std::size_t d = fortran ? dimensions - 1 - n : n;  // the slowest first
        place = place * sizes[d] + starts[d] + i[d];
      }
      result.map.add(child.map, place * extent);
      more = false;
      for (std::size_t n = 0; n < dimensions && !more; ++n) {
        const std::size_t d = fortran ? n : dimensions - 1 - n;  // the fastest first
        more = ++i[d] < subsizes[d];
        if (!more) i[d] = 0;
      }
    }
    Aint whole = extent;
    for (const Count size : sizes) whole *= size;
    result.map.lower_markers = {0};
    result.map.upper_markers = {whole};
    result.type = made(make_subarray(sizes, subsizes, starts, fortran ? 0xF : 0xC, *child.type,
                                     number(0, 1) == 0 ? RecipeForm::plain : RecipeForm::large));
    return result;
  }

  Made wrap(const Made& child, int depth) {
    switch (number(0, 10)) {
      case 0: {
        const Count count = number(0, 5);
        Made result;
        result.map = blocks(child.map, {count}, {0}, 1);
        result.type = made(make_contiguous(count, *child.type, RecipeForm::plain));
        return result;
      }
      case 1:
        return vectors(child, false);
      case 2:
        return vectors(child, true);
      case 3:
        return indexed(child, false, false);
      case 4:
        return indexed(child, true, false);
      case 5:
        return indexed(child, false, true);
      case 6:
        return indexed(child, true, true);
      case 7:
        return resized(child);
      case 8:
        return subarrays(child);
      case 9: {
        Made result;
        result.map = child.map;
        result.type = made(make_dup(*child.type));
        return result;
      }
      default:
        return structs(child, depth);
    }
  }

  std::mt19937 random_;
};

void expect_same_bounds(const TypeObject& type, const TypeMap& map) {
  EXPECT_EQ(type.size(), map.size());
  EXPECT_EQ(type.lb(), map.lb());
  EXPECT_EQ(type.ub(), map.ub());
  EXPECT_EQ(type.extent(), map.extent());
  EXPECT_EQ(type.true_lb(), map.true_lb());
  EXPECT_EQ(type.true_extent(), map.true_ub() - map.true_lb());
  EXPECT_EQ(type.signature().elements, static_cast<Count>(map.data.size()));
}

void expect_same_signature(const TypeObject& type, const TypeMap& map) {
  Signature signature;
  for (const MapEntry& e : map.data) signature = signature + Signature::of(e.kind);
  EXPECT_EQ(type.signature().hash, signature.hash);
  EXPECT_EQ(type.signature().kind, signature.kind);
}

void expect_elements(const TypeObject& type, const TypeMap& map) {
  Count bytes = 0, n = 0;
  for (const MapEntry& e : map.data) {
    const Count size = find_basic(e.kind)->size;
    if (size > 1) {
      ASSERT_EQ(elements_in(type, bytes + 1), std::nullopt);
    }
    ASSERT_EQ(bytes_of_elements(type, n), bytes);
    bytes += size;
    ASSERT_EQ(elements_in(type, bytes), ++n);
  }
}

// A buffer in which elements of a type may lie, and the address of the first.
struct Room {
  Room(const TypeMap& map, Count count) {
    Aint low = 0, high = 0;
    for (const Aint d : map.bytes(count)) {
      low = std::min(low, d);
      high = std::max(high, d + 1);
    }
    bytes.resize(static_cast<std::size_t>(high - low + 2 * kMargin));
    origin = kMargin - low;
  }
  static constexpr Aint kMargin = 512;  // bytes around the data that nothing may touch
  std::byte* base() { return bytes.data() + origin; }
  std::vector<std::byte> bytes;
  Aint origin;
};

void fill(std::vector<std::byte>& bytes, unsigned seed) {
  for (std::byte& b : bytes) b = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
}

void expect_packs(const TypeObject& type, const TypeMap& map, Count count, Forge& forge) {
  Room room(map, count);
  fill(room.bytes, 1);
  const std::vector<Aint> order = map.bytes(count);
  std::vector<std::byte> packed(order.size()), whole(order.size() + 64, std::byte{0x5a});
  PackCursor all(type, room.base(), count);
  ASSERT_EQ(all.total(), order.size());
  ASSERT_EQ(all.pack(whole.data(), whole.size()), order.size());
  for (std::size_t i = order.size(); i < whole.size(); ++i) ASSERT_EQ(whole[i], std::byte{0x5a});
  PackCursor cursor(type, room.base(), count);
  while (cursor.remaining() > 0) {
    const std::size_t n =
        static_cast<std::size_t>(forge.number(1, static_cast<Count>(order.size() / 3 + 1)));
    cursor.pack(packed.data() + cursor.position(), n);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(whole[i], room.base()[order[i]]) << "byte " << i;
    ASSERT_EQ(packed[i], room.base()[order[i]]) << "byte " << i << " in pieces";
  }
}

void expect_seeks_and_runs(const TypeObject& type, const TypeMap& map, Count count, Forge& forge) {
  Room room(map, count);
  const std::vector<Aint> order = map.bytes(count);
  PackCursor cursor(type, room.base(), count);
  for (int i = 0; i < 20 && !order.empty(); ++i) {
    const std::size_t at =
        static_cast<std::size_t>(forge.number(0, static_cast<Count>(order.size()) - 1));
    cursor.seek(at);
    const auto run = cursor.run();
    ASSERT_GE(run.size(), 1U);
    ASSERT_LE(run.size(), cursor.remaining());
    for (std::size_t k = 0; k < run.size(); ++k) ASSERT_EQ(&run[k], room.base() + order[at + k]);
  }
  cursor.seek(order.size());
  EXPECT_TRUE(cursor.run().empty());
}

void expect_unpacks(const TypeObject& type, const TypeMap& map, Count count, Forge& forge) {
  if (map.overlaps(count)) return;  // not allowed in MPI
  Room room(map, count), expected(map, count);
  const std::vector<Aint> order = map.bytes(count);
  std::vector<std::byte> packed(order.size());
  fill(packed, 2);
  for (std::size_t i = 0; i < order.size(); ++i) expected.base()[order[i]] = packed[i];
  PackCursor cursor(type, room.base(), count);
  while (cursor.remaining() > 0) {
    const std::size_t n =
        static_cast<std::size_t>(forge.number(1, static_cast<Count>(order.size()) + 1));
    cursor.unpack(packed.data() + cursor.position(), n);
  }
  ASSERT_EQ(room.bytes, expected.bytes);
}

void expect_external_round_trip(const TypeObject& type, const TypeMap& map, Count count) {
  if (map.overlaps(count)) return;
  Room room(map, count), copy(map, count);
  for (Count i = 0; i < count; ++i) {
    for (const MapEntry& e : map.data) {  // small numbers survive in every representation
      std::byte* at = room.base() + e.displacement + i * map.extent();
      const long double number = 3;
      if (find_basic(e.kind)->number == Number::f80) {
        std::memcpy(at, &number,
                    std::numeric_limits<long double>::digits == 64 ? 10 : sizeof number);
      } else {
        at[0] = std::byte{1};
      }
    }
  }
  std::vector<std::byte> external(static_cast<std::size_t>(external32_size(type) * count));
  external32_pack(type, room.base(), count, external.data());
  external32_unpack(type, copy.base(), count, external.data());
  for (const Aint d : map.bytes(count)) ASSERT_EQ(room.base()[d], copy.base()[d]);
}

void expect_rebuilds(const TypeObject& type, const TypeMap& map) {
  const Type again = rebuild(type);
  expect_same_bounds(*again, map);
  EXPECT_EQ(again->signature().hash, type.signature().hash);
}

class Fuzz : public testing::TestWithParam<unsigned> {};

TEST_P(Fuzz, TreesMatchTheirTypeMaps) {
  Forge forge(GetParam());
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << GetParam() << ", round " << round);
    const Made made = forge.tree(static_cast<int>(forge.number(1, 4)));
    const Count count = forge.number(1, 6);
    expect_same_bounds(*made.type, made.map);
    expect_same_signature(*made.type, made.map);
    expect_elements(*made.type, made.map);
    expect_packs(*made.type, made.map, count, forge);
    expect_seeks_and_runs(*made.type, made.map, count, forge);
    expect_unpacks(*made.type, made.map, count, forge);
    expect_external_round_trip(*made.type, made.map, count);
    expect_rebuilds(*made.type, made.map);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Fuzz, testing::Range(1U, 21U));

}  // namespace
}  // namespace tessera::test
