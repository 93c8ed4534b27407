// SPDX-License-Identifier: BSD-3-Clause
// The loops over pairs: the largest or smallest value, and the least index among equal ones.
//
// A pair of C has its index in its second half, so that a register is a row of halves, values and indexes in turn. Both
// are compared in all halves at once; what a pair takes is decided in both of its halves alike. Bytes between value and
// index are not ours, and stay.
#include <cstddef>
#include <cstring>

#include "core/op/rows.h"
#include "core/op/table.h"

namespace tessera::op {
namespace {

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

template <class T>
T load(const char* from) noexcept {
  return *reinterpret_cast<const typename Anywhere<T>::Type*>(from);
}
template <class T>
void store(T value, char* to) noexcept {
  *reinterpret_cast<typename Anywhere<T>::Type*>(to) = value;
}

template <class P, bool largest>
void scalar_loop(const void* in, void* inout, Count count) noexcept {
  using Value = decltype(P::value);
  using Index = decltype(P::index);
  const char* a = static_cast<const char*>(in);
  char* b = static_cast<char*>(inout);
  for (; count > 0; --count, a += sizeof(P), b += sizeof(P)) {
    const Value theirs = load<Value>(a), ours = load<Value>(b);
    const Index index = load<Index>(a + offsetof(P, index));
    const bool wins = largest ? theirs > ours : theirs < ours;
    if (wins) store(theirs, b);
    if (wins || (theirs == ours && index < load<Index>(b + offsetof(P, index))))
      store(index, b + offsetof(P, index));
  }
}

template <int size>
using Half = std::conditional_t<size == 4, std::int32_t, std::int64_t>;
template <int size>
using UnsignedHalf = std::make_unsigned_t<Half<size>>;

// A half of a pair as one number to compare: itself, or the few bits of it that are data, moved to the top.
template <class T, int half>
using Key = std::conditional_t<sizeof(T) == half, T,
                               std::conditional_t<std::is_unsigned_v<T>, UnsignedHalf<half>, Half<half>>>;

// Whether pairs can be compared this way: halves of a size that vector units compare, data that fills them or can be moved.
template <class Value, class Index>
constexpr bool in_halves = (sizeof(Pair<Value, Index>) == 8 || sizeof(Pair<Value, Index>) == 16) &&
                           (sizeof(Value) * 2 == sizeof(Pair<Value, Index>) || std::is_integral_v<Value>);

// All bits of the halves at even places (values), or only those that are data.
template <class T, int half>
constexpr UnsignedHalf<half> data_bits = static_cast<UnsignedHalf<half>>(~UnsignedHalf<half>{0}) >>
                                         (8 * (half - static_cast<int>(sizeof(T))));

template <class Value, class Index, bool largest, int width>
[[gnu::always_inline]] inline void place(const char* in, char* inout) noexcept {
  constexpr int half = sizeof(Pair<Value, Index>) / 2;
  constexpr int value_shift = 8 * (half - static_cast<int>(sizeof(Value)));
  constexpr int index_shift = 8 * (half - static_cast<int>(sizeof(Index)));
  using Halves = Row<UnsignedHalf<half>, width>;
  using Values = Row<Key<Value, half>, width>;
  using Indexes = Row<Key<Index, half>, width>;
  constexpr Places<UnsignedHalf<half>, width> places;
  Halves a, b, data, indexes;
  std::memcpy(&a, in, width);
  std::memcpy(&b, inout, width);
  alternate(data, data_bits<Value, half>, data_bits<Index, half>, places);
  alternate(indexes, UnsignedHalf<half>{0}, data_bits<Index, half>, places);
  const auto theirs = (Values)(a << value_shift), ours = (Values)(b << value_shift);
  Halves wins = (Halves)(largest ? theirs > ours : theirs < ours), equal = (Halves)(theirs == ours);
  const Halves before = (Halves)((Indexes)(a << index_shift) < (Indexes)(b << index_shift));
  repeat_even(wins, places);
  repeat_even(equal, places);
  b ^= (a ^ b) & ((wins & data) | (equal & before & indexes));
  std::memcpy(inout, &b, width);
}

template <class Value, class Index, bool largest, int width>
[[gnu::always_inline]] inline void place_loop(const void* in, void* inout, Count count) noexcept {
  using P = Pair<Value, Index>;
  constexpr Count step = 2 * width / static_cast<Count>(sizeof(P));
  const auto* a = static_cast<const char*>(in);
  auto* b = static_cast<char*>(inout);
  for (; count >= step; count -= step, a += 2 * width, b += 2 * width) {
    place<Value, Index, largest, width>(a, b);
    place<Value, Index, largest, width>(a + width, b + width);
  }
  scalar_loop<P, largest>(a, b, count);
}

template <class Value, class Index, bool largest>
void baseline_place_loop(const void* in, void* inout, Count count) noexcept {
  place_loop<Value, Index, largest, 16>(in, inout, count);
}

#if defined(__x86_64__)
template <class Value, class Index, bool largest>
[[gnu::target("avx2")]] void avx2_place_loop(const void* in, void* inout, Count count) noexcept {
  place_loop<Value, Index, largest, 32>(in, inout, count);
}
#endif

// AVX-512 has one unit for comparisons only, AVX2 two or three of half the width: it has no loop of its own.
template <class Value, class Index, bool largest>
Loop loop_of_isa([[maybe_unused]] Isa isa) noexcept {
  if constexpr (in_halves<Value, Index>) {
#if defined(__x86_64__)
    if (isa != Isa::baseline) return avx2_place_loop<Value, Index, largest>;
#endif
    return baseline_place_loop<Value, Index, largest>;
  } else {
    return scalar_loop<Pair<Value, Index>, largest>;
  }
}

template <class Value, class Index>
Loop loop_of_pair(bool largest, Isa isa) noexcept {
  return largest ? loop_of_isa<Value, Index, true>(isa) : loop_of_isa<Value, Index, false>(isa);
}

// The indexes of predefined pairs: int, the 64-bit integers, and for the pairs of Fortran the value's own type.
template <class Value>
Loop loop_of_value(bool largest, bool same, Number index, Isa isa) noexcept {
  if (index == Number::i32) return loop_of_pair<Value, std::int32_t>(largest, isa);
  if (index == Number::i64) return loop_of_pair<Value, std::int64_t>(largest, isa);
  return same ? loop_of_pair<Value, Value>(largest, isa) : nullptr;
}

}  // namespace

Loop place_loop(Operation operation, Number value, Number index, Isa isa) noexcept {
  const bool largest = operation == Operation::maximum_place;
  if (!largest && operation != Operation::minimum_place) return nullptr;
  const bool same = value == index;
  switch (value) {
    case Number::i8:
      return loop_of_value<std::int8_t>(largest, same, index, isa);
    case Number::u8:
      return loop_of_value<std::uint8_t>(largest, same, index, isa);
    case Number::i16:
      return loop_of_value<std::int16_t>(largest, same, index, isa);
    case Number::u16:
      return loop_of_value<std::uint16_t>(largest, same, index, isa);
    case Number::i32:
      return loop_of_value<std::int32_t>(largest, same, index, isa);
    case Number::u32:
      return loop_of_value<std::uint32_t>(largest, same, index, isa);
    case Number::i64:
      return loop_of_value<std::int64_t>(largest, same, index, isa);
    case Number::u64:
      return loop_of_value<std::uint64_t>(largest, same, index, isa);
    case Number::f32:
      return loop_of_value<float>(largest, same, index, isa);
    case Number::f64:
      return loop_of_value<double>(largest, same, index, isa);
    case Number::f80:
      return loop_of_value<long double>(largest, same, index, isa);
    default:
      return nullptr;
  }
}

}  // namespace tessera::op
