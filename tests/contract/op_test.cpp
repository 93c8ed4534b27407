// SPDX-License-Identifier: BSD-3-Clause
// Contract of every op component: results of the standard where they are representable, element by
// element, nothing else.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "fakes.h"
#include "subject.h"
#include "tessera/data.h"

namespace tessera::contract {

namespace {

using op::Loop;
using op::Operation;

constexpr std::size_t kLongest = 67;
constexpr std::size_t kLong = 1031;

// One process's instance.
class Reducer {
 public:
  Reducer()
      : job_(segment_, 0),
        progress_(segment_.bell(0), Waiting::yield),
        bootstrap_(segment_, 0, progress_) {
    opened_ = component().open({plugin().params(), job_, progress_, bootstrap_});
  }
  Status opened() const { return opened_; }
  op::Component& component() { return static_cast<op::Component&>(instances_.component()); }

 private:
  Segment segment_{2};
  FakeJob job_;
  FakeProgress progress_;
  FakeBootstrap bootstrap_;
  Instances instances_;
  Status opened_;
};

// What the standard says, for operands that fit.
template <class T>
T expected(Operation operation, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (operation == Operation::bit_and) return static_cast<T>(a & b);
    if (operation == Operation::bit_or) return static_cast<T>(a | b);
    if (operation == Operation::bit_xor) return static_cast<T>(a ^ b);
    if (operation == Operation::logical_and) return a != 0 && b != 0;
    if (operation == Operation::logical_or) return a != 0 || b != 0;
    if (operation == Operation::logical_xor) return (a != 0) != (b != 0);
  }
  if (operation == Operation::sum) return static_cast<T>(a + b);
  if (operation == Operation::product) return static_cast<T>(a * b);
  if (operation == Operation::maximum) return a > b ? a : b;
  return a < b ? a : b;
}

// Small whole numbers, of which nothing overflows or is rounded.
template <class T>
T small(std::size_t i, std::size_t stride) {
  const int value = static_cast<int>(i * stride % 11);
  return static_cast<T>(std::is_unsigned_v<T> ? value : value - 5);
}

// `count` elements at an odd address, between bytes that must stay.
template <class T>
struct Operand {
  Operand(std::size_t count, std::size_t offset, std::size_t stride)
      : bytes((count + 2) * sizeof(T) + offset, '\x5a'),
        begin(sizeof(T) + offset),
        elements(count) {
    for (std::size_t i = 0; i < count; ++i) set(i, small<T>(i, stride));
  }
  void* data() { return bytes.data() + begin; }
  T get(std::size_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + begin + i * sizeof(T), sizeof(T));
    return value;
  }
  void set(std::size_t i, T value) {
    std::memcpy(bytes.data() + begin + i * sizeof(T), &value, sizeof(T));
  }
  bool guards_intact() const {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if ((i < begin || i >= begin + elements * sizeof(T)) && bytes[i] != '\x5a') return false;
    return true;
  }
  std::vector<char> bytes;
  std::size_t begin, elements;
};

template <class T>
void expect_results(Loop loop, Operation operation, std::size_t count, std::size_t offset) {
  Operand<T> in(count, offset, 3), inout(count, (offset * 3) % 16, 7);
  const Operand<T> before = inout, unchanged = in;
  loop(in.data(), inout.data(), static_cast<Count>(count));
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(inout.get(i), expected(operation, in.get(i), before.get(i)))
        << "element " << i << " of " << count;
  ASSERT_TRUE(inout.guards_intact()) << "wrote beyond " << count << " elements";
  ASSERT_EQ(in.bytes, unchanged.bytes) << "wrote to the in buffer";
}

// With the operands exchanged the result is the same.
template <class T>
void expect_commutes(Loop loop) {
  Operand<T> a(kLongest, 0, 3), b(kLongest, 0, 7), a_too = a, b_too = b;
  loop(a.data(), b_too.data(), kLongest);
  loop(b.data(), a_too.data(), kLongest);
  ASSERT_EQ(a_too.bytes, b_too.bytes) << "a op b is not b op a";
}

struct Offered {
  int loops = 0;
};

template <class T>
void check_number(op::Component& component, Number number, Offered& offered) {
  for (int o = 0; o <= static_cast<int>(Operation::logical_xor); ++o) {
    const auto operation = static_cast<Operation>(o);
    if (!std::is_integral_v<T> && operation >= Operation::bit_and) continue;
    const Loop loop = component.loop(operation, number, Number::none);
    if (loop == nullptr) continue;
    ++offered.loops;
    SCOPED_TRACE("operation " + std::to_string(o) + ", number " +
                 std::to_string(static_cast<int>(number)));
    for (std::size_t count = 0; count <= kLongest; ++count)
      expect_results<T>(loop, operation, count, 0);
    for (const std::size_t offset : {1, 2, 4, 8, 15})
      expect_results<T>(loop, operation, kLong, offset);
    expect_commutes<T>(loop);
    EXPECT_EQ(component.loop(operation, number, Number::none), loop)
        << "asked again it offers another loop";
  }
}

void check_all(op::Component& component, Offered& offered) {
  check_number<std::int8_t>(component, Number::i8, offered);
  check_number<std::int16_t>(component, Number::i16, offered);
  check_number<std::int32_t>(component, Number::i32, offered);
  check_number<std::int64_t>(component, Number::i64, offered);
  check_number<std::uint8_t>(component, Number::u8, offered);
  check_number<std::uint16_t>(component, Number::u16, offered);
  check_number<std::uint32_t>(component, Number::u32, offered);
  check_number<std::uint64_t>(component, Number::u64, offered);
  check_number<float>(component, Number::f32, offered);
  check_number<double>(component, Number::f64, offered);
}

struct Place {
  double value;
  std::int32_t index;
};

void check_places(op::Component& component, Offered& offered) {
  for (const bool largest : {false, true}) {
    const Loop loop = component.loop(largest ? Operation::maximum_place : Operation::minimum_place,
                                     Number::f64, Number::i32);
    if (loop == nullptr) continue;
    ++offered.loops;
    const std::vector<Place> in = {{1, 5}, {2, 1}, {2, 4}, {3, 2}};
    std::vector<Place> inout = {{2, 3}, {2, 2}, {2, 2}, {2, 9}};
    const std::vector<Place> right = largest ? std::vector<Place>{{2, 3}, {2, 1}, {2, 2}, {3, 2}}
                                             : std::vector<Place>{{1, 5}, {2, 1}, {2, 2}, {2, 9}};
    loop(in.data(), inout.data(), static_cast<Count>(in.size()));
    for (std::size_t i = 0; i < in.size(); ++i) {
      EXPECT_EQ(inout[i].value, right[i].value) << "pair " << i;
      EXPECT_EQ(inout[i].index, right[i].index) << "pair " << i;
    }
  }
}

TEST(OpLoops, OpensOrSaysWhyNot) {
  Reducer reducer;
  EXPECT_TRUE(reducer.opened().ok() || std::strlen(reducer.opened().text()) > 0);
}

TEST(OpLoops, ResultsAreThoseOfTheStandardElementByElement) {
  Reducer reducer;
  Offered offered;
  check_all(reducer.component(), offered);
  check_places(reducer.component(), offered);
  RecordProperty("loops", offered.loops);
}

TEST(OpLoops, WhatDoesNotExistIsNotOffered) {
  Reducer reducer;
  EXPECT_EQ(reducer.component().loop(Operation::sum, Number::none, Number::none), nullptr);
  EXPECT_EQ(reducer.component().loop(Operation::bit_and, Number::f64, Number::none), nullptr);
  EXPECT_EQ(reducer.component().loop(Operation::maximum, Number::c64, Number::none), nullptr);
}

}  // namespace

}  // namespace tessera::contract
