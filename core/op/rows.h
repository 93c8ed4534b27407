// SPDX-License-Identifier: BSD-3-Clause
// Rows: numbers side by side in a register, with operators. Passed by reference, since by value
// their place depends on the instruction set.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

// Whether loops are compiled for AVX2 and AVX-512 as well. Not for a first look: three versions of
// each loop take the compiler three times as long.
#if defined(__x86_64__) && !defined(TESSERA_QUICK)
#define TESSERA_WIDE_REGISTERS
#endif

namespace tessera::op {

template <class T, int width>
struct RowOf {
  typedef T Type __attribute__((vector_size(width)));
};
template <class T, int width>
using Row = typename RowOf<T, width>::Type;

template <class Row>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  Row row;
};

template <class T, int width>
using Places = std::make_integer_sequence<int, width / static_cast<int>(sizeof(T))>;

// x0 x0 x2 x2 ...
template <class Row, int... i>
[[gnu::always_inline]] inline void repeat_even(Row& row,
                                               std::integer_sequence<int, i...>) noexcept {
  row = __builtin_shufflevector(row, row, (i & ~1)...);
}
// x1 x1 x3 x3 ...
template <class Row, int... i>
[[gnu::always_inline]] inline void repeat_odd(Row& row, std::integer_sequence<int, i...>) noexcept {
  row = __builtin_shufflevector(row, row, (i | 1)...);
}
// x1 x0 x3 x2 ...
template <class Row, int... i>
[[gnu::always_inline]] inline void swap_neighbours(Row& row,
                                                   std::integer_sequence<int, i...>) noexcept {
  row = __builtin_shufflevector(row, row, (i ^ 1)...);
}
// even odd even odd ...
template <class Row, class T, int... i>
[[gnu::always_inline]] inline void alternate(Row& row, T even, T odd,
                                             std::integer_sequence<int, i...>) noexcept {
  row = Row{(i % 2 == 0 ? even : odd)...};
}

// The same address several times: the compiler must not know, since it would load once and exchange
// places in registers. An exchange of its own load costs nothing.
template <class Byte>
struct Thrice {
  explicit Thrice(Byte* address) noexcept : whole(address), values(address), indexes(address) {
    asm("" : "+r"(values), "+r"(indexes));
  }
  Byte *whole, *values, *indexes;
};

// Repeats the numbers at even places, while loading them, at the odd places too; or those at odd
// places at the even ones. Floating-point exchanges, since only they cost nothing then; by name,
// since GCC 12 takes others; clang finds them.
template <int size>
using Repeated = std::conditional_t<size == 4, float, double>;

template <int size, int width, class Numbers>
[[gnu::always_inline]] inline void load_even(const char* from, Numbers& to) noexcept {
  Row<Repeated<size>, width> row;
#if defined(__x86_64__) && !defined(__clang__)
  const auto& there = *reinterpret_cast<const Unaligned<Row<char, width>>*>(from);
  if constexpr (width > 16 && size == 4) {
    asm("vmovsldup %1, %0" : "=v"(row) : "m"(there));
    to = (Numbers)row;
    return;
  } else if constexpr (width > 16) {
    asm("vmovddup %1, %0" : "=v"(row) : "m"(there));
    to = (Numbers)row;
    return;
  }
#endif
  std::memcpy(&row, from, width);
  repeat_even(row, Places<Repeated<size>, width>{});
  to = (Numbers)row;
}

template <int size, int width, class Numbers>
[[gnu::always_inline]] inline void load_odd(const char* from, Numbers& to) noexcept {
  Row<Repeated<size>, width> row;
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (width > 16 && size == 4) {
    asm("vmovshdup %1, %0"
        : "=v"(row)
        : "m"(*reinterpret_cast<const Unaligned<Row<char, width>>*>(from)));
    to = (Numbers)row;
    return;
  }
#endif
  std::memcpy(&row, from, width);
  repeat_odd(row, Places<Repeated<size>, width>{});
  to = (Numbers)row;
}

// Operands larger than this do not stay in the first-level cache together (docs/decisions/0065).
constexpr std::size_t kFirstLevel = 20 << 10;

// Instructions that wait for a line are started again and again, and take slots from those that
// could run. Where units are busy, lines must be there in time: eight before the one that is
// needed. Beyond the end nothing is fetched wrongly: it is a hint.
template <int bytes, bool ahead>
[[gnu::always_inline]] inline void fetch_ahead(const char* in, const char* inout) noexcept {
  if constexpr (ahead) {
    for (int line = 0; line < bytes; line += 64) {
      __builtin_prefetch(in + 512 + line);
      __builtin_prefetch(inout + 512 + line);
    }
  }
}

}  // namespace tessera::op
