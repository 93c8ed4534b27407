// SPDX-License-Identifier: BSD-3-Clause
// One function over arrays, compiled for several instruction sets.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/op/complex_products.h"
#include "core/op/functions.h"
#include "core/op/kernels.h"
#include "core/op/rows.h"

namespace tessera::op {

enum class Isa : std::uint8_t { baseline, avx2, avx512 };

// The widest that this processor runs, of those that loops are compiled for.
inline Isa widest_isa() noexcept {
#if defined(TESSERA_WIDE_REGISTERS)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return Isa::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return Isa::avx2;
#endif
  return Isa::baseline;
}

// Elements may lie at any address.
template <class T>
struct Anywhere {
  typedef T Type __attribute__((aligned(1)));
};

// How many elements come before the next register of the in-out buffer, or 0 where alignment does
// not pay or cannot be had. Half of all accesses would straddle two cache lines otherwise: large
// memory from malloc(3) begins 16 bytes after a line.
template <class T, int width>
[[gnu::always_inline]] inline Count unaligned_elements(const void* inout, Count count) noexcept {
  constexpr Count worthwhile = 16 * width;
  const auto address = reinterpret_cast<std::uintptr_t>(inout);
  if (count * static_cast<Count>(sizeof(T)) < worthwhile || address % sizeof(T) != 0) return 0;
  return static_cast<Count>((width - address % width) % width / sizeof(T));
}

// Steps of at least four registers of `width` bytes, which may fetch lines ahead. Not less than 32
// elements: GCC would unroll the loop over them before it looks for vectors, and then find none; of
// long doubles, which have none, four.
template <class Function, class T, int width, bool ahead = false>
[[gnu::always_inline]] inline void loop(const void* in, void* inout, Count count) noexcept {
  using Element = typename Anywhere<T>::Type;
  constexpr Count in_four = 4 * width / static_cast<Count>(sizeof(T));
  constexpr Count step = std::is_same_v<T, long double> ? Count{4} : std::max(in_four, Count{32});
  const Element* __restrict a = static_cast<const Element*>(in);
  Element* __restrict b = static_cast<Element*>(inout);
  Count i = 0;
  for (const Count head = unaligned_elements<T, width>(inout, count); i < head; ++i)
    b[i] = Function::template apply<T>(a[i], b[i]);
  for (; i + step <= count; i += step) {
    fetch_ahead<static_cast<int>(step * sizeof(T)), ahead>(reinterpret_cast<const char*>(a + i),
                                                           reinterpret_cast<const char*>(b + i));
    for (Count j = 0; j < step; ++j) b[i + j] = Function::template apply<T>(a[i + j], b[i + j]);
  }
  for (; i < count; ++i) b[i] = Function::template apply<T>(a[i], b[i]);
}

// Two bytes at a time.
template <int width>
[[gnu::always_inline]] inline void byte_products(const void* in, void* inout,
                                                 Count count) noexcept {
  loop<ProductOfBytes, std::uint16_t, width>(in, inout, count / 2);
  if (count % 2 == 0) return;
  std::uint8_t* const last = static_cast<std::uint8_t*>(inout) + count - 1;
  *last = Product::apply(static_cast<const std::uint8_t*>(in)[count - 1], *last);
}

// Orders of long double: to store one from a register of the x87 takes longer than to load two, so
// what is taken is copied. Where from is calculated, without a jump that could not be foreseen.
template <class Function>
[[gnu::always_inline]] inline void long_double_orders(const void* in, void* inout,
                                                      Count count) noexcept {
  using Element = Anywhere<long double>::Type;
  const auto address = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
  const std::uintptr_t distance = address(in) - address(inout);
  const Element* a = static_cast<const Element*>(in);
  Element* b = static_cast<Element*>(inout);
  for (; count > 0; --count, ++a, ++b) {
    std::uintptr_t takes = Function::template takes<long double>(*a, *b);
    asm("" : "+r"(takes));
    std::memmove(b, reinterpret_cast<const void*>(address(b) + (distance & -takes)),
                 sizeof(long double));  // NOLINT
  }
}

// Whether it keeps the units busy for as long as a line takes to come: truth values, and with AVX2
// what it lacks for 64 bits.
template <class Function, class T, int width>
constexpr bool is_busy = width > 16 && std::is_integral_v<T> &&
                         (std::is_same_v<Function, LogicalXor> ||
                          std::is_same_v<Function, LogicalAnd> ||
                          (width == 32 && sizeof(T) == 8 &&
                           (std::is_same_v<Function, Maximum> ||
                            std::is_same_v<Function, Minimum> ||
                            std::is_same_v<Function, Product>)));

// With registers of `width` bytes, as elements that do best.
template <class Function, class T, int width>
[[gnu::always_inline]] inline void best_loop(const void* in, void* inout, Count count) noexcept {
  if constexpr (is_complex<T> && std::is_same_v<Function, Sum>) {
    loop<Sum, decltype(T::re), width>(in, inout, 2 * count);
  } else if constexpr (is_complex<T>) {
    constexpr Count first_level = kFirstLevel / sizeof(T);
    if (count > first_level)
      return complex_products<decltype(T::re), width, true>(in, inout, count);
    complex_products<decltype(T::re), width, false>(in, inout, count);
  } else if constexpr (sizeof(T) == 1 && std::is_same_v<Function, Product>) {
    byte_products<width>(in, inout, count);
  } else if constexpr (std::is_same_v<T, long double> &&
                       (std::is_same_v<Function, Maximum> || std::is_same_v<Function, Minimum>)) {
    long_double_orders<Function>(in, inout, count);
  } else if constexpr (is_busy<Function, T, width>) {
    constexpr Count first_level = kFirstLevel / sizeof(T);
    if (count > first_level) return loop<Function, T, width, true>(in, inout, count);
    loop<Function, T, width>(in, inout, count);
  } else {
    loop<Function, T, width>(in, inout, count);
  }
}

template <class Function, class T>
void baseline_loop(const void* in, void* inout, Count count) noexcept {
  best_loop<Function, T, 16>(in, inout, count);
}

#if defined(TESSERA_WIDE_REGISTERS)
template <class Function, class T>
[[gnu::target("avx2")]] void avx2_loop(const void* in, void* inout, Count count) noexcept {
  best_loop<Function, T, 32>(in, inout, count);
}

template <class Function, class T>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void avx512_loop(const void* in, void* inout,
                                                                       Count count) noexcept {
  best_loop<Function, T, 64>(in, inout, count);
}
#endif

template <class Function, class T>
constexpr Loop loop_for(Isa isa) noexcept {
  if constexpr (Function::template defined<T>) {
    using Type = Operand<Function, T>;
#if defined(TESSERA_WIDE_REGISTERS)
    if (isa == Isa::avx512) return avx512_loop<Function, Type>;
    if (isa == Isa::avx2) return avx2_loop<Function, Type>;
#endif
    return baseline_loop<Function, Type>;
  } else {
    return nullptr;
  }
}

}  // namespace tessera::op
