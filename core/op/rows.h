// SPDX-License-Identifier: BSD-3-Clause
// Rows: numbers side by side in a register, with operators. Passed by reference, since by value their place depends on the
// instruction set.
#pragma once

#include <utility>

namespace tessera::op {

template <class T, int width>
struct RowOf {
  typedef T Type __attribute__((vector_size(width)));
};
template <class T, int width>
using Row = typename RowOf<T, width>::Type;

template <class T, int width>
using Places = std::make_integer_sequence<int, width / static_cast<int>(sizeof(T))>;

// x0 x0 x2 x2 ...
template <class Row, int... i>
[[gnu::always_inline]] inline void repeat_even(Row& row, std::integer_sequence<int, i...>) noexcept {
  row = __builtin_shufflevector(row, row, (i & ~1)...);
}
// x1 x1 x3 x3 ...
template <class Row, int... i>
[[gnu::always_inline]] inline void repeat_odd(Row& row, std::integer_sequence<int, i...>) noexcept {
  row = __builtin_shufflevector(row, row, (i | 1)...);
}
// x1 x0 x3 x2 ...
template <class Row, int... i>
[[gnu::always_inline]] inline void swap_neighbours(Row& row, std::integer_sequence<int, i...>) noexcept {
  row = __builtin_shufflevector(row, row, (i ^ 1)...);
}
// even odd even odd ...
template <class Row, class T, int... i>
[[gnu::always_inline]] inline void alternate(Row& row, T even, T odd,
                                             std::integer_sequence<int, i...>) noexcept {
  row = Row{(i % 2 == 0 ? even : odd)...};
}

}  // namespace tessera::op
