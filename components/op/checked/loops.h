// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a result, for each operation.
#pragma once

#include <cmath>
#include <type_traits>

namespace tessera::op::checked {

// Integers: the result wraps around, as that of the engine, and is wrong if it did not fit.
struct Sum {
  static constexpr const char* name = "MPI_SUM";
  static constexpr const char* sign = "+";
  template <class T>
  static bool apply(T a, T b, T& result) noexcept {
    if constexpr (std::is_integral_v<T>) {
      return !__builtin_add_overflow(a, b, &result);
    } else {
      result = a + b;
      return std::isfinite(result) || !std::isfinite(a) || !std::isfinite(b);
    }
  }
};

struct Product {
  static constexpr const char* name = "MPI_PROD";
  static constexpr const char* sign = "*";
  template <class T>
  static bool apply(T a, T b, T& result) noexcept {
    if constexpr (std::is_integral_v<T>) {
      return !__builtin_mul_overflow(a, b, &result);
    } else {
      result = a * b;
      return std::isfinite(result) || !std::isfinite(a) || !std::isfinite(b);
    }
  }
};

// NaN is neither less nor greater than anything: the in-out operand stays.
struct Maximum {
  static constexpr const char* name = "MPI_MAX";
  static constexpr const char* sign = "and";
  template <class T>
  static bool apply(T a, T b, T& result) noexcept {
    result = a > b ? a : b;
    return a == a && b == b;
  }
};

struct Minimum {
  static constexpr const char* name = "MPI_MIN";
  static constexpr const char* sign = "and";
  template <class T>
  static bool apply(T a, T b, T& result) noexcept {
    result = a < b ? a : b;
    return a == a && b == b;
  }
};

}  // namespace tessera::op::checked
