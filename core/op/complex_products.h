// SPDX-License-Identifier: BSD-3-Clause
// Products of complex numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/op/functions.h"
#include "core/op/rows.h"
#include "tessera/data.h"

namespace tessera::op {

// Written with rows: left to itself GCC 12 fuses multiplication and addition here, even where it is
// told not to, and results would depend on the instruction set and on the place of an element.
template <class T, int width>
[[gnu::always_inline]] inline void complex_product(const char* in, char* inout) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Places<T, width> places;
  Row<T, width> b, straight, crossed;
  Row<Bits, width> sign;
  std::memcpy(&b, inout, width);
  alternate(sign, Bits{1} << (8 * sizeof(T) - 1), Bits{0}, places);
  load_even<sizeof(T), width>(in, straight);
  straight *= b;
  load_odd<sizeof(T), width>(in, crossed);
  swap_neighbours(b, places);
  crossed *= b;
  straight += (Row<T, width>)((Row<Bits, width>)crossed ^ sign);
  std::memcpy(inout, &straight, width);
}

template <class T>
[[gnu::always_inline]] inline void one_complex_product(const char* in, char* inout) noexcept {
  if constexpr (sizeof(T) <= 8) {
    complex_product<T, sizeof(Complex<T>)>(in, inout);
  } else {
    typedef T Part __attribute__((aligned(1)));
    const Part* a = reinterpret_cast<const Part*>(in);
    Part* b = reinterpret_cast<Part*>(inout);
    const Complex<T> product = Product::apply(Complex<T>{a[0], a[1]}, Complex<T>{b[0], b[1]});
    b[0] = product.re;
    b[1] = product.im;
  }
}

template <class T, int width, bool ahead>
[[gnu::always_inline]] inline void complex_products(const void* in, void* inout,
                                                    Count count) noexcept {
  constexpr Count step = width / static_cast<Count>(sizeof(Complex<T>));
  const auto* a = static_cast<const char*>(in);
  auto* b = static_cast<char*>(inout);
  if constexpr (sizeof(T) <= 8) {
    for (; count >= 2 * step; count -= 2 * step, a += 2 * width, b += 2 * width) {
      fetch_ahead<2 * width, ahead>(a, b);
      complex_product<T, width>(a, b);
      complex_product<T, width>(a + width, b + width);
    }
  }
  for (; count > 0; --count, a += sizeof(Complex<T>), b += sizeof(Complex<T>))
    one_complex_product<T>(a, b);
}

}  // namespace tessera::op
