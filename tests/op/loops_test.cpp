// SPDX-License-Identifier: BSD-3-Clause
// The loops of every instruction set against one element at a time: all short lengths, all
// alignments.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/op/table.h"

namespace tessera::op::test {
namespace {

constexpr Count kLongest = 200;

// Long enough for alignment to pay, and for lines to be fetched ahead.
constexpr std::size_t long_count(std::size_t size) {
  return (kFirstLevel + 2048) / size + 7;
}

std::vector<Isa> sets() {
  std::vector<Isa> all = {Isa::baseline};
  if (widest_isa() != Isa::baseline) all.push_back(Isa::avx2);
  if (widest_isa() == Isa::avx512) all.push_back(Isa::avx512);
  return all;
}

Loop loop_of(Operation operation, Number number, Isa isa) {
  if (operation <= Operation::product) return arithmetic_loop(operation, number, isa);
  if (operation <= Operation::minimum) return ordering_loop(operation, number, isa);
  if (operation <= Operation::bit_xor) return bitwise_loop(operation, number, isa);
  return operation <= Operation::logical_xor ? logical_loop(operation, number, isa) : nullptr;
}

std::size_t size_of(Number number) {
  constexpr std::size_t sizes[kNumbers] = {0,  1,  2, 4,  8,  16, 1, 2, 4, 8, 4, 8,
                                           16, 16, 8, 16, 32, 32, 1, 2, 4, 8, 16};
  return sizes[static_cast<std::size_t>(number)];
}

bool is_real(Number number) {
  return number >= Number::f32 && number <= Number::c128;
}

// Numbers that arithmetic does not leave, in the form of the elements; every third one is 0, NaN
// among reals if asked for.
template <class T>
void put(std::vector<char>& out, Count count, std::mt19937& random, bool special) {
  for (Count i = 0; i < count; ++i) {
    T value = static_cast<T>(static_cast<int>(random() % 9) - 4);
    if constexpr (std::is_floating_point_v<T>) {
      value = value / 3;
      if (special && random() % 7 == 0) value = std::numeric_limits<T>::quiet_NaN();
      if (special && random() % 7 == 0) value = -T{0};
    }
    char bytes[sizeof(T)] = {};
    std::memcpy(bytes, &value, sizeof(T));
    out.insert(out.end(), bytes, bytes + sizeof(T));
  }
}

std::vector<char> elements(Number number, Count count, unsigned seed, bool special = false) {
  std::mt19937 random(seed);
  std::vector<char> out;
  const bool two = number >= Number::c32 && number <= Number::c128;
  if (number == Number::f32 || number == Number::c32) {
    put<float>(out, two ? 2 * count : count, random, special);
  } else if (number == Number::f64 || number == Number::c64) {
    put<double>(out, two ? 2 * count : count, random, special);
  } else if (number == Number::f80 || number == Number::c80) {
    put<long double>(out, two ? 2 * count : count, random, special);
  } else if (is_real(number)) {
    put<double>(out, static_cast<Count>(size_of(number)) * count / 8, random, false);
  } else {
    const std::size_t size = size_of(number);
    for (std::size_t i = 0; i < size * static_cast<std::size_t>(count); ++i)
      out.push_back(i / size % 3 == 0 ? 0 : static_cast<char>(random()));
  }
  return out;
}

// Padding of a long double is not compared.
bool same(Number number, const char* a, const char* b) {
  const bool padded = number == Number::f80 || number == Number::c80;
  const std::size_t size = size_of(number);
  if (!padded) return std::memcmp(a, b, size) == 0;
  for (std::size_t part = 0; part < size; part += 16)
    if (std::memcmp(a + part, b + part, 10) != 0) return false;
  return true;
}

struct Buffer {  // `bytes` at an offset from a cache line, with guards around
  Buffer(const std::vector<char>& from, std::size_t bytes, std::size_t offset) : size(bytes) {
    memory.reserve(bytes + 320);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    begin = (64 - address % 64) % 64 + 64 + offset;
    memory.assign(begin, '\x5a');
    memory.insert(memory.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(bytes));
    memory.insert(memory.end(), 128, '\x5a');
  }
  char* data() { return memory.data() + begin; }
  bool intact() const {
    for (std::size_t i = 0; i < memory.size(); ++i)
      if ((i < begin || i >= begin + size) && memory[i] != '\x5a') return false;
    return true;
  }
  std::vector<char> memory;
  std::size_t size, begin;
};

// Operands and what the baseline makes of each pair of them alone.
struct Example {
  Example(Loop single, Number of, bool special)
      : number(of),
        count(long_count(size_of(of))),
        in(elements(of, static_cast<Count>(count), 1, special)),
        inout(elements(of, static_cast<Count>(count), 2, special)),
        expected(inout) {
    const std::size_t size = size_of(number);
    for (std::size_t i = 0; i < count; ++i)
      single(in.data() + i * size, expected.data() + i * size, 1);
  }
  // The loop on the first `count` elements, at an offset from a cache line.
  void compare(Loop loop, Count elements, std::size_t offset) const {
    const std::size_t size = size_of(number), bytes = size * static_cast<std::size_t>(elements);
    Buffer a(in, bytes, offset), b(inout, bytes, (offset * 5) % 64);
    loop(a.data(), b.data(), elements);
    for (std::size_t i = 0; i < bytes; i += size)
      ASSERT_TRUE(same(number, b.data() + i, expected.data() + i))
          << "byte " << i << " of " << elements << " elements";
    ASSERT_TRUE(b.intact() && a.intact()) << "wrote beyond " << elements << " elements";
    ASSERT_EQ(std::memcmp(a.data(), in.data(), bytes), 0) << "wrote to the in buffer";
  }
  Number number;
  std::size_t count;
  std::vector<char> in, inout, expected;
};

void expect_equal_loops(Operation operation, Number number) {
  const Loop single = loop_of(operation, number, Isa::baseline);
  if (single == nullptr) return;
  const Example example(single, number, operation >= Operation::maximum);
  for (const Isa isa : sets()) {
    SCOPED_TRACE("operation " + std::to_string(static_cast<int>(operation)) + ", number " +
                 std::to_string(static_cast<int>(number)) + ", set " +
                 std::to_string(static_cast<int>(isa)));
    const Loop loop = loop_of(operation, number, isa);
    ASSERT_NE(loop, nullptr);
    for (Count count = 0; count <= kLongest; ++count) example.compare(loop, count, 0);
    for (std::size_t offset = 0; offset < 64; ++offset) example.compare(loop, kLongest, offset);
    for (const std::size_t offset : {0, 1, 4, 8, 16, 63})
      example.compare(loop, static_cast<Count>(example.count), offset);
  }
}

TEST(Loops, AllSetsOfInstructionsGiveTheSame) {
  for (int operation = 0; operation <= static_cast<int>(Operation::logical_xor); ++operation) {
    for (int number = 1; number < kNumbers; ++number) {
      expect_equal_loops(static_cast<Operation>(operation), static_cast<Number>(number));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Loops, ANaNOfTheInOutBufferStaysAndOneOfTheInBufferIsPassedOver) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Isa isa : sets()) {
    for (const Operation operation : {Operation::maximum, Operation::minimum}) {
      std::vector<double> in(kLongest, 1), inout(kLongest, nan);
      loop_of(operation, Number::f64, isa)(in.data(), inout.data(), kLongest);
      for (const double value : inout) ASSERT_TRUE(std::isnan(value));
      loop_of(operation, Number::f64, isa)(inout.data(), in.data(), kLongest);
      for (const double value : in) ASSERT_EQ(value, 1);
    }
  }
}

TEST(Loops, ProductsOfBytesDoNotTouchEachOther) {
  std::vector<std::uint8_t> all(256), by(256);
  for (const Isa isa : sets()) {
    for (unsigned factor = 0; factor < 256; ++factor) {
      for (unsigned i = 0; i < 256; ++i)
        all[i] = static_cast<std::uint8_t>(i), by[i] = static_cast<std::uint8_t>(factor);
      arithmetic_loop(Operation::product, Number::u8, isa)(by.data(), all.data(), 255);
      for (unsigned i = 0; i < 255; ++i) ASSERT_EQ(all[i], static_cast<std::uint8_t>(i * factor));
      ASSERT_EQ(all[255], 255);
    }
  }
}

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

// One of the least and the largest, and of a few between, so that many are equal.
template <class T>
T some_number(std::mt19937& random) {
  using Limits = std::numeric_limits<T>;
  constexpr T more = std::is_floating_point_v<T> ? Limits::infinity() : Limits::max();
  constexpr T other = std::is_floating_point_v<T> ? Limits::quiet_NaN() : T{100};
  const T all[] = {
      0,    1,    static_cast<T>(-T{0}), static_cast<T>(-1), 2, Limits::lowest(), Limits::max(),
      more, other};
  return all[random() % std::size(all)];
}

// The bytes between value and index are `gap`.
template <class P>
std::vector<P> some_pairs(std::size_t count, unsigned seed, int gap) {
  std::mt19937 random(seed);
  std::vector<P> all(count);
  if (!all.empty()) std::memset(static_cast<void*>(all.data()), gap, all.size() * sizeof(P));
  for (P& pair : all) {
    pair.value = some_number<decltype(P::value)>(random);
    pair.index = some_number<decltype(P::index)>(random);
  }
  return all;
}

// Pairs and what must come of them: of each the whole, but for the bytes between.
template <class P>
struct PairExample {
  explicit PairExample(bool largest)
      : in(some_pairs<P>(long_count(sizeof(P)), 3, 0x11)),
        inout(some_pairs<P>(in.size(), 4, 0x22)),
        expected(inout) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const P &a = in[i], &b = inout[i];
      const bool wins = largest ? a.value > b.value : a.value < b.value;
      if (!wins && !(a.value == b.value && a.index < b.index)) continue;
      expected[i].value = a.value;
      expected[i].index = a.index;
    }
  }
  void compare(Loop loop, std::size_t count, std::size_t offset) const {
    const std::size_t bytes = count * sizeof(P);
    Buffer a(bytes_of(in), bytes, offset), b(bytes_of(inout), bytes, (offset * 5) % 64);
    loop(a.data(), b.data(), static_cast<Count>(count));
    const char* const right = reinterpret_cast<const char*>(expected.data());
    for (std::size_t i = 0; i < bytes; i += sizeof(P))
      ASSERT_EQ(std::memcmp(b.data() + i, right + i, sizeof(P)), 0)
          << "pair " << i / sizeof(P) << " of " << count << " at " << offset << ", values of "
          << sizeof(P::value) << " bytes, indexes of " << sizeof(P::index);
    ASSERT_TRUE(b.intact() && a.intact()) << "wrote beyond " << count << " pairs";
  }
  static std::vector<char> bytes_of(const std::vector<P>& all) {
    const char* const first = reinterpret_cast<const char*>(all.data());
    return std::vector<char>(first, first + all.size() * sizeof(P));
  }
  std::vector<P> in, inout, expected;
};

template <class P>
void expect_loop(Loop loop, bool largest) {
  ASSERT_NE(loop, nullptr);
  const PairExample<P> example(largest);
  for (std::size_t count = 0; count <= kLongest; ++count) example.compare(loop, count, 0);
  for (std::size_t offset = 0; offset < 64; ++offset) example.compare(loop, kLongest, offset);
  for (const std::size_t offset : {0, 1, 8, 16, 63})
    example.compare(loop, example.in.size(), offset);
}

template <class Value, class Index>
void expect_pairs(Number value, Number index) {
  for (const Isa isa : sets()) {
    for (const bool largest : {false, true}) {
      const Operation operation = largest ? Operation::maximum_place : Operation::minimum_place;
      SCOPED_TRACE("set " + std::to_string(static_cast<int>(isa)) +
                   (largest ? ", largest" : ", least"));
      expect_loop<Pair<Value, Index>>(place_loop(operation, value, index, isa), largest);
    }
  }
}

TEST(Loops, Pairs) {
  expect_pairs<std::int8_t, std::int32_t>(Number::i8, Number::i32);
  expect_pairs<std::uint8_t, std::int64_t>(Number::u8, Number::i64);
  expect_pairs<std::int16_t, std::int32_t>(Number::i16, Number::i32);
  expect_pairs<std::uint16_t, std::int64_t>(Number::u16, Number::i64);
  expect_pairs<std::int32_t, std::int32_t>(Number::i32, Number::i32);
  expect_pairs<std::uint32_t, std::int64_t>(Number::u32, Number::i64);
  expect_pairs<std::int64_t, std::int32_t>(Number::i64, Number::i32);
  expect_pairs<std::uint64_t, std::int64_t>(Number::u64, Number::i64);
  expect_pairs<float, std::int32_t>(Number::f32, Number::i32);
  expect_pairs<float, std::int64_t>(Number::f32, Number::i64);
  expect_pairs<float, float>(Number::f32, Number::f32);
  expect_pairs<double, std::int32_t>(Number::f64, Number::i32);
  expect_pairs<double, double>(Number::f64, Number::f64);
  expect_pairs<double, std::int64_t>(Number::f64, Number::i64);
  expect_pairs<std::int64_t, std::int64_t>(Number::i64, Number::i64);
  expect_pairs<std::uint64_t, std::int32_t>(Number::u64, Number::i32);
  expect_pairs<std::uint32_t, std::int32_t>(Number::u32, Number::i32);
  expect_pairs<std::int8_t, std::int64_t>(Number::i8, Number::i64);
  expect_pairs<std::int16_t, std::int64_t>(Number::i16, Number::i64);
}

}  // namespace
}  // namespace tessera::op::test
