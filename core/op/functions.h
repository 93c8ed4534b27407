// SPDX-License-Identifier: BSD-3-Clause
// The functions that the predefined reductions apply to two elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/datatype/wide_numbers.h"

namespace tessera::op {

template <class T>
struct Complex {
  T re, im;
};

// A truth value as large as T: a number of that size, of which 0 is false.
template <class T>
struct Truth;

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<Complex<T>> = true;
template <class T>
constexpr bool is_truth = false;
template <class T>
constexpr bool is_truth<Truth<T>> = true;

__extension__ typedef unsigned __int128 Unsigned128;
template <class T>
constexpr bool is_whole =
    std::is_integral_v<T> || std::is_same_v<T, Int128> || std::is_same_v<T, Unsigned128>;
template <class T>
constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, Float128>;

// The type in which whole numbers of type T are calculated: unsigned, so that
// they wrap, and not less than int.
template <class T>
using Wrapping =
    std::conditional_t<sizeof(T) == 16, Unsigned128,
                       std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>>;

// Whole numbers and truth values as unsigned numbers of their size; other types stay.
template <class T>
struct AsUnsigned {
  using Type = T;
};
template <class T>
requires is_whole<T>
struct AsUnsigned<T> {
  using Type = typename std::conditional_t<sizeof(T) == 16, std::type_identity<Unsigned128>,
                                           std::make_unsigned<T>>::type;
};
template <class T>
struct AsUnsigned<Truth<T>> : AsUnsigned<T> {};

// What a function calculates with in place of T. Only orders look at signs: one loop of any other
// function serves all whole numbers and truth values of a size.
template <class Function, class T>
using Operand = typename std::conditional_t<Function::is_order, std::type_identity<T>,
                                            std::type_identity<typename AsUnsigned<T>::Type>>::type;

struct Sum {
  static constexpr bool is_order = false;
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
  static constexpr bool is_order = false;
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
  static constexpr bool is_order = true;
  template <class T>
  static constexpr bool defined = is_whole<T> || is_real<T>;
  template <class T>
  static bool takes(T in, T inout) noexcept {
    return in > inout;
  }
  template <class T>
  static T apply(T in, T inout) noexcept {
    return takes(in, inout) ? in : inout;
  }
};

struct Minimum {
  static constexpr bool is_order = true;
  template <class T>
  static constexpr bool defined = Maximum::defined<T>;
  template <class T>
  static bool takes(T in, T inout) noexcept {
    return in < inout;
  }
  template <class T>
  static T apply(T in, T inout) noexcept {
    return takes(in, inout) ? in : inout;
  }
};

struct BitAnd {
  static constexpr bool is_order = false;
  template <class T>
  static constexpr bool defined = is_whole<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a & b);
  }
};

struct BitOr {
  static constexpr bool is_order = false;
  template <class T>
  static constexpr bool defined = is_whole<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a | b);
  }
};

struct BitXor {
  static constexpr bool is_order = false;
  template <class T>
  static constexpr bool defined = is_whole<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a ^ b);
  }
};

// The lesser of unsigned numbers is what vector units find at once, up to 32 bits.
template <class T>
T lesser(T a, T b) noexcept {
  return a < b ? a : b;
}
template <class T>
T one_unless_zero(T value) noexcept {
  if constexpr (sizeof(T) <= 4) {
    return lesser(value, T{1});
  } else {
    return value != 0;
  }
}

// Any value but 0 is true; the result is 1 or 0. Applied to unsigned numbers.
struct LogicalAnd {
  static constexpr bool is_order = false;
  template <class T>
  static constexpr bool defined = is_whole<T> || is_truth<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (sizeof(T) <= 4) {
      return one_unless_zero(lesser(a, b));
    } else {
      return a != 0 && b != 0;
    }
  }
};

struct LogicalOr {
  static constexpr bool is_order = false;
  template <class T>
  static constexpr bool defined = LogicalAnd::defined<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return one_unless_zero(static_cast<T>(a | b));
  }
};

struct LogicalXor {
  static constexpr bool is_order = false;
  template <class T>
  static constexpr bool defined = LogicalAnd::defined<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(one_unless_zero(a) ^ one_unless_zero(b));
  }
};

// Two products of bytes side by side: vector units multiply nothing less than 16 bits.
struct ProductOfBytes {
  template <class T>
  static T apply(T a, T b) noexcept {
    static_assert(std::is_same_v<T, std::uint16_t>);
    const unsigned low = (unsigned{a} * b) & 0xff;
    const unsigned high = (unsigned{a} >> 8) * (b & 0xff00u);
    return static_cast<T>(low | high);
  }
};

}  // namespace tessera::op
