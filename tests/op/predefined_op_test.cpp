// SPDX-License-Identifier: BSD-3-Clause
// The predefined reductions against plain loops, and what they refuse.
#include "core/op/predefined.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/datatype/make.h"
#include "core/datatype/predefined.h"
#include "core/datatype/wide_numbers.h"

namespace tessera::test {
namespace {

const TypeObject& named(MPI_Datatype handle) {
  return *predefined_type(reinterpret_cast<std::uintptr_t>(handle));
}
const Op& op(MPI_Op handle) {
  return *predefined_op(reinterpret_cast<std::uintptr_t>(handle));
}

constexpr std::size_t kLength = 131;  // whole vector registers and a rest

// Compares with `expected` element by element.
template <class T, class Expected>
void expect(MPI_Op handle, MPI_Datatype type, const std::vector<T>& in, const std::vector<T>& inout,
            Expected expected) {
  ASSERT_TRUE(op(handle).accepts(named(type))) << named(type).name();
  std::vector<T> result = inout;
  ASSERT_TRUE(
      op(handle).apply(in.data(), result.data(), static_cast<Count>(in.size()), named(type)));
  for (std::size_t i = 0; i < in.size(); ++i) {
    const T right = static_cast<T>(expected(in[i], inout[i]));
    ASSERT_EQ(result[i], right) << named(type).name() << " at " << i;
  }
}

template <class T>
std::vector<T> numbers(unsigned seed) {
  std::vector<T> all;
  for (std::size_t i = 0; i < kLength; ++i) {
    seed = seed * 1103515245 + 12345;
    all.push_back(static_cast<T>(static_cast<int>(seed >> 16) % 11 -
                                 (std::numeric_limits<T>::is_signed ? 5 : 0)));
  }
  return all;
}

template <class T>
void expect_arithmetic(MPI_Datatype type) {
  const auto a = numbers<T>(1), b = numbers<T>(2);
  expect(MPI_SUM, type, a, b, [](T x, T y) { return x + y; });
  expect(MPI_PROD, type, a, b, [](T x, T y) { return x * y; });
  expect(MPI_MAX, type, a, b, [](T x, T y) { return x > y ? x : y; });
  expect(MPI_MIN, type, a, b, [](T x, T y) { return x < y ? x : y; });
}

template <class T>
void expect_bits(MPI_Datatype type) {
  const auto a = numbers<T>(3), b = numbers<T>(4);
  expect(MPI_BAND, type, a, b, std::bit_and<>());
  expect(MPI_BOR, type, a, b, std::bit_or<>());
  expect(MPI_BXOR, type, a, b, std::bit_xor<>());
}

template <class T>
void expect_logic(MPI_Datatype type) {
  const auto a = numbers<T>(5), b = numbers<T>(6);
  expect(MPI_LAND, type, a, b, [](T x, T y) { return x != 0 && y != 0; });
  expect(MPI_LOR, type, a, b, [](T x, T y) { return x != 0 || y != 0; });
  expect(MPI_LXOR, type, a, b, [](T x, T y) { return (x != 0) != (y != 0); });
}

template <class T>
void expect_integer(MPI_Datatype type) {
  expect_arithmetic<T>(type);
  expect_bits<T>(type);
  expect_logic<T>(type);
}

TEST(PredefinedOps, Integers) {
  expect_integer<signed char>(MPI_SIGNED_CHAR);
  expect_integer<unsigned char>(MPI_UNSIGNED_CHAR);
  expect_integer<short>(MPI_SHORT);
  expect_integer<unsigned short>(MPI_UNSIGNED_SHORT);
  expect_integer<int>(MPI_INT);
  expect_integer<unsigned>(MPI_UNSIGNED);
  expect_integer<long>(MPI_LONG);
  expect_integer<unsigned long>(MPI_UNSIGNED_LONG);
  expect_integer<long long>(MPI_LONG_LONG);
  expect_integer<std::int8_t>(MPI_INT8_T);
  expect_integer<std::uint16_t>(MPI_UINT16_T);
  expect_integer<std::uint64_t>(MPI_UINT64_T);
  expect_integer<MPI_Aint>(MPI_AINT);
  expect_integer<MPI_Count>(MPI_COUNT);
}

TEST(PredefinedOps, IntegersOfFortran) {
  expect_arithmetic<int>(MPI_INTEGER);
  expect_bits<std::int16_t>(MPI_INTEGER2);
  expect_arithmetic<std::int64_t>(MPI_INTEGER8);
  EXPECT_FALSE(op(MPI_LAND).accepts(named(MPI_INTEGER)));
}

TEST(PredefinedOps, FloatingPoint) {
  expect_arithmetic<float>(MPI_FLOAT);
  expect_arithmetic<double>(MPI_DOUBLE);
  expect_arithmetic<long double>(MPI_LONG_DOUBLE);
  expect_arithmetic<float>(MPI_REAL4);
  expect_arithmetic<double>(MPI_DOUBLE_PRECISION);
}

TEST(PredefinedOps, WideNumbersOfFortran) {
  std::vector<Int128> whole(kLength, 3), more(kLength, -5);
  ASSERT_TRUE(op(MPI_PROD).apply(whole.data(), more.data(), kLength, named(MPI_INTEGER16)));
  EXPECT_TRUE(more[kLength - 1] == -15);
  std::vector<Float128> real(kLength, 1.5), sum(kLength, 2);
  ASSERT_TRUE(op(MPI_SUM).apply(real.data(), sum.data(), kLength, named(MPI_REAL16)));
  EXPECT_TRUE(sum[kLength - 1] == 3.5);
}

TEST(PredefinedOps, IntegersWrapAround) {
  int in = std::numeric_limits<int>::max(), inout = 1;
  ASSERT_TRUE(op(MPI_SUM).apply(&in, &inout, 1, named(MPI_INT)));
  EXPECT_EQ(inout, std::numeric_limits<int>::min());
  unsigned short a = 65'535, b = 65'535;
  ASSERT_TRUE(op(MPI_PROD).apply(&a, &b, 1, named(MPI_UNSIGNED_SHORT)));
  EXPECT_EQ(b, 1);
}

template <class T>
void expect_complex(MPI_Datatype type) {
  using Complex = std::complex<T>;
  std::vector<Complex> a, b;
  for (std::size_t i = 0; i < kLength; ++i) {
    a.emplace_back(static_cast<T>(i % 7), static_cast<T>(i % 5) - 2);
    b.emplace_back(static_cast<T>(i % 3) - 1, static_cast<T>(i % 11));
  }
  expect(MPI_SUM, type, a, b, [](Complex x, Complex y) { return x + y; });
  expect(MPI_PROD, type, a, b, [](Complex x, Complex y) { return x * y; });
  EXPECT_FALSE(op(MPI_MAX).accepts(named(type)));
}

TEST(PredefinedOps, Complex) {
  expect_complex<float>(MPI_C_FLOAT_COMPLEX);
  expect_complex<double>(MPI_CXX_DOUBLE_COMPLEX);
  expect_complex<long double>(MPI_C_LONG_DOUBLE_COMPLEX);
  expect_complex<double>(MPI_DOUBLE_COMPLEX);
}

TEST(PredefinedOps, TruthIsOneOrZero) {
  std::vector<int> in = {7, 0, 0, 2}, inout = {9, 5, 0, 0};
  ASSERT_TRUE(op(MPI_LOR).apply(in.data(), inout.data(), 4, named(MPI_LOGICAL)));
  EXPECT_EQ(inout, (std::vector<int>{1, 1, 0, 1}));
  const bool yes[] = {true, true, false};
  bool result[] = {true, false, false};
  ASSERT_TRUE(op(MPI_LXOR).apply(yes, result, 3, named(MPI_C_BOOL)));
  EXPECT_FALSE(result[0]);
  EXPECT_TRUE(result[1]);
  EXPECT_FALSE(result[2]);
  EXPECT_FALSE(op(MPI_SUM).accepts(named(MPI_C_BOOL)));
}

// The padding must stay as it was.
template <class Value, class Index>
void expect_places(const TypeObject& type) {
  struct Pair {
    Value value;
    Index index;
  };
  const Value values[] = {1, 2, 3, 3, 3};
  const Value others[] = {2, 1, 3, 3, 3};
  const Index indexes[] = {4, 4, 4, 9, 5};
  const Index other_indexes[] = {6, 6, 6, 5, 9};
  Pair in[5], inout[5];
  std::memset(in, 0x11, sizeof in);
  std::memset(inout, 0x22, sizeof inout);
  for (int i = 0; i < 5; ++i) {
    in[i].value = values[i];
    in[i].index = indexes[i];
    inout[i].value = others[i];
    inout[i].index = other_indexes[i];
  }
  Pair least[5];
  std::memcpy(least, inout, sizeof inout);
  ASSERT_TRUE(op(MPI_MAXLOC).apply(in, inout, 5, type));
  ASSERT_TRUE(op(MPI_MINLOC).apply(in, least, 5, type));
  const Value largest[] = {2, 2, 3, 3, 3};
  const Index at[] = {6, 4, 4, 5, 5};
  const Value smallest[] = {1, 1, 3, 3, 3};
  const Index least_at[] = {4, 6, 4, 5, 5};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(inout[i].value, largest[i]) << i;
    EXPECT_EQ(inout[i].index, at[i]) << i;
    EXPECT_EQ(least[i].value, smallest[i]) << i;
    EXPECT_EQ(least[i].index, least_at[i]) << i;
    if (sizeof(Pair) > offsetof(Pair, index) + sizeof(Index)) {
      EXPECT_EQ(reinterpret_cast<unsigned char*>(&inout[i])[sizeof(Pair) - 1], 0x22);
    }
  }
}

TEST(PredefinedOps, Places) {
  expect_places<float, int>(named(MPI_FLOAT_INT));
  expect_places<double, int>(named(MPI_DOUBLE_INT));
  expect_places<long, int>(named(MPI_LONG_INT));
  expect_places<int, int>(named(MPI_2INT));
  expect_places<short, int>(named(MPI_SHORT_INT));
  expect_places<long double, int>(named(MPI_LONG_DOUBLE_INT));
  expect_places<float, float>(named(MPI_2REAL));
  expect_places<double, double>(named(MPI_2DOUBLE_PRECISION));
  expect_places<int, int>(named(MPI_2INTEGER));
  expect_places<double, std::int64_t>(*value_index_type(named(MPI_DOUBLE), named(MPI_INT64_T)));
  expect_places<std::uint8_t, int>(*value_index_type(named(MPI_UINT8_T), named(MPI_INT)));
}

TEST(PredefinedOps, NanOfTheInOutBufferStays) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double in[2] = {nan, 1}, inout[2] = {2, nan};
  ASSERT_TRUE(op(MPI_MAX).apply(in, inout, 2, named(MPI_DOUBLE)));
  EXPECT_EQ(inout[0], 2);
  EXPECT_TRUE(std::isnan(inout[1]));
}

TEST(PredefinedOps, ReplaceCopiesAnyType) {
  auto vector = make_vector(3, 1, 2, named(MPI_INT), RecipeForm::plain);
  ASSERT_TRUE(vector.ok());
  (*vector)->commit();
  const int in[] = {1, 2, 3, 4, 5};
  int inout[] = {9, 9, 9, 9, 9}, kept[] = {9, 9, 9, 9, 9};
  ASSERT_TRUE(op(MPI_REPLACE).apply(in, inout, 1, **vector));
  ASSERT_TRUE(op(MPI_NO_OP).apply(in, kept, 1, **vector));
  EXPECT_EQ(std::vector<int>(inout, inout + 5), (std::vector<int>{1, 9, 3, 9, 5}));
  EXPECT_EQ(kept[0], 9);
  (*vector)->drop();
}

std::string refusal(MPI_Op handle, const TypeObject& type) {
  EXPECT_FALSE(op(handle).accepts(type));
  const Status status = op(handle).apply(nullptr, nullptr, 0, type);
  EXPECT_EQ(status.code(), Errc::operation);
  return status.text();
}

TEST(PredefinedOps, RefusalsNameOperationAndType) {
  EXPECT_EQ(refusal(MPI_BAND, named(MPI_DOUBLE)),
            "MPI_BAND is not defined for MPI_DOUBLE; it takes the predefined "
            "integers and MPI_BYTE");
  EXPECT_NE(refusal(MPI_SUM, named(MPI_BYTE)).find("MPI_SUM is not defined for MPI_BYTE"),
            std::string::npos);
  EXPECT_NE(refusal(MPI_MAXLOC, named(MPI_INT)).find("MPI_2INT"), std::string::npos);
  EXPECT_NE(refusal(MPI_SUM, named(MPI_DOUBLE_INT)).find("MPI_DOUBLE_INT"), std::string::npos);
  auto derived = make_contiguous(2, named(MPI_INT), RecipeForm::plain);
  EXPECT_NE(refusal(MPI_SUM, **derived).find("MPI_Op_create"), std::string::npos);
  (*derived)->drop();
}

TEST(PredefinedOps, OtherValuesAreNull) {
  EXPECT_EQ(predefined_op(0x20), nullptr);  // MPI_OP_NULL
  EXPECT_EQ(predefined_op(0x25), nullptr);
  EXPECT_EQ(predefined_op(0x3f), nullptr);
  EXPECT_EQ(predefined_op(0x40), nullptr);
}

TEST(PredefinedOps, FortranRangesCount) {
  const TypeObject* type = f90_type(Combiner::f90_real, 12, MPI_UNDEFINED, named(MPI_REAL8));
  double in = 1.5, inout = 2;
  ASSERT_TRUE(op(MPI_SUM).apply(&in, &inout, 1, *type));
  EXPECT_EQ(inout, 3.5);
}

}  // namespace
}  // namespace tessera::test
