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
using Wrapping =
    std::conditional_t<sizeof(T) == 16, Unsigned128,
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
  static bool takes(T in, T inout) noexcept {
    return in > inout;
  }
  template <class T>
  static T apply(T in, T inout) noexcept {
    return takes(in, inout) ? in : inout;
  }
};

struct Minimum {
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
auto bits(T value) noexcept {
  if constexpr (is_truth<T>) {
    return value.value;
  } else if constexpr (sizeof(T) == 16) {
    return static_cast<Unsigned128>(value);
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

template <class T, class Bits>
T truth(Bits value) noexcept {
  if constexpr (is_truth<T>) {
    return {value};
  } else {
    return static_cast<T>(value);
  }
}

// The lesser of unsigned numbers is what vector units find at once, up to 32 bits.
template <class Bits>
Bits lesser(Bits a, Bits b) noexcept {
  return a < b ? a : b;
}
template <class Bits>
Bits one_unless_zero(Bits value) noexcept {
  if constexpr (sizeof(Bits) <= 4) {
    return lesser(value, Bits{1});
  } else {
    return value != 0;
  }
}

struct LogicalAnd {
  template <class T>
  static constexpr bool defined = is_whole<T> || is_truth<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (sizeof(T) <= 4) {
      return truth<T>(one_unless_zero(lesser(bits(a), bits(b))));
    } else {
      return truth<T>(decltype(bits(a))(bits(a) != 0 && bits(b) != 0));
    }
  }
};

struct LogicalOr {
  template <class T>
  static constexpr bool defined = LogicalAnd::defined<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    using Bits = decltype(bits(a));
    return truth<T>(one_unless_zero(static_cast<Bits>(bits(a) | bits(b))));
  }
};

struct LogicalXor {
  template <class T>
  static constexpr bool defined = LogicalAnd::defined<T>;
  template <class T>
  static T apply(T a, T b) noexcept {
    using Bits = decltype(bits(a));
    return truth<T>(static_cast<Bits>(one_unless_zero(bits(a)) ^ one_unless_zero(bits(b))));
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
