// SPDX-License-Identifier: BSD-3-Clause
// The functions that the predefined reductions apply to two elements.
#pragma once

#include <type_traits>

#include "core/datatype/wide_numbers.h"

namespace tessera::op {

template <class T>
struct Complex {
  T re, im;
};

// A truth value as large as T.
template <class T>
struct Truth {
  T value;
};

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<Complex<T>> = true;
template <class T>
constexpr bool is_truth = false;
template <class T>
constexpr bool is_truth<Truth<T>> = true;
template <class T>
constexpr bool is_whole = std::is_integral_v<T> || std::is_same_v<T, Int128>;
template <class T>
constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, Float128>;

__extension__ typedef unsigned __int128 Unsigned128;

// The type in which whole numbers of type T are calculated: unsigned, so that
// they wrap, and not less than int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 16, Unsigned128,
                                    std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>>;

struct Sum {
  template <class T>
  static constexpr bool defined = is_whole<T> || is_real<T> || is_complex<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (is_complex<T>) {
      return {a.re + b.re, a.im + b.im};
    } else if constexpr (is_whole<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    } else {
      return a + b;
    }
  }
};

struct Product {
  template <class T>
  static constexpr bool defined = Sum::defined<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (is_complex<T>) {
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    } else if constexpr (is_whole<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    } else {
      return a * b;
    }
  }
};

struct Maximum {
  template <class T>
  static constexpr bool defined = is_whole<T> || is_real<T>;
  template <class T>
  static T apply(T in, T inout) noexcept {
    return in > inout ? in : inout;
  }
};

struct Minimum {
  template <class T>
  static constexpr bool defined = Maximum::defined<T>;
  template <class T>
  static T apply(T in, T inout) noexcept {
    return in < inout ? in : inout;
  }
};

struct BitAnd {
  template <class T>
  static constexpr bool defined = is_whole<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a & b);
  }
};

struct BitOr {
  template <class T>
  static constexpr bool defined = is_whole<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a | b);
  }
};

struct BitXor {
  template <class T>
  static constexpr bool defined = is_whole<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a ^ b);
  }
};

// Any value but 0 is true; the result is 1 or 0.
template <class T>
auto truth(T value) noexcept {
  if constexpr (is_truth<T>) {
    return value.value != 0;
  } else {
    return value != 0;
  }
}

template <class T>
T from_truth(bool value) noexcept {
  if constexpr (is_truth<T>) {
    return {static_cast<decltype(T::value)>(value)};
  } else {
    return static_cast<T>(value);
  }
}

struct LogicalAnd {
  template <class T>
  static constexpr bool defined = is_whole<T> || is_truth<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return from_truth<T>(truth(a) && truth(b));
  }
};

struct LogicalOr {
  template <class T>
  static constexpr bool defined = LogicalAnd::defined<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return from_truth<T>(truth(a) || truth(b));
  }
};

struct LogicalXor {
  template <class T>
  static constexpr bool defined = LogicalAnd::defined<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return from_truth<T>(truth(a) != truth(b));
  }
};

}  // namespace tessera::op
