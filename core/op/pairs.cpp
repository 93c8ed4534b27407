// SPDX-License-Identifier: BSD-3-Clause
// The loops over pairs: the largest or smallest value, and the least index among equal ones.
//
// A pair is taken whole, but for bytes between value and index: those are not ours, and stay. Pairs
// of C have their index in the second half, so that a register is a row of halves. Values are
// repeated into both halves, indexes as well; what a pair takes is then decided in both of its
// halves alike.
#include <cstddef>
#include <cstring>

#include "core/op/rows.h"
#include "core/op/table.h"
#include "core/op/wide_pairs.h"

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
    if (!wins && !(theirs == ours && index < load<Index>(b + offsetof(P, index)))) continue;
    store(theirs, b);
    store(index, b + offsetof(P, index));
  }
}

template <int size>
using Half = std::conditional_t<size == 4, std::int32_t, std::int64_t>;
template <int size>
using UnsignedHalf = std::make_unsigned_t<Half<size>>;

// A half of a pair as one number to compare: itself, or the few bits of it that are data, moved to
// the top.
template <class T, int half>
using Key =
    std::conditional_t<sizeof(T) == half, T,
                       std::conditional_t<std::is_unsigned_v<T>, UnsignedHalf<half>, Half<half>>>;

// Whether pairs can be compared this way: halves of a size that vector units compare, data that
// fills them or can be moved.
template <class Value, class Index>
constexpr bool in_halves = (sizeof(Pair<Value, Index>) == 8 || sizeof(Pair<Value, Index>) == 16) &&
                           (sizeof(Value) * 2 == sizeof(Pair<Value, Index>) ||
                            std::is_integral_v<Value>);

// All bits of the halves at even places (values), or only those that are data.
template <class T, int half>
constexpr UnsignedHalf<half> data_bits = static_cast<UnsignedHalf<half>>(~UnsignedHalf<half>{0}) >>
                                         (8 * (half - static_cast<int>(sizeof(T))));

template <class Value, class Index, bool largest, int width>
[[gnu::always_inline]] inline void place(const Thrice<const char>& in, const Thrice<char>& inout,
                                         std::size_t at) noexcept {
  constexpr int half = sizeof(Pair<Value, Index>) / 2;
  constexpr int value_shift = 8 * (half - static_cast<int>(sizeof(Value)));
  constexpr int index_shift = 8 * (half - static_cast<int>(sizeof(Index)));
  using Halves = Row<UnsignedHalf<half>, width>;
  using Values = Row<Key<Value, half>, width>;
  using Indexes = Row<Key<Index, half>, width>;
  Halves a, b, value, our_value, data;
  load_even<half, width>(in.values + at, value);
  load_even<half, width>(inout.values + at, our_value);
  const auto theirs = (Values)(value << value_shift), ours = (Values)(our_value << value_shift);
  const Halves wins = (Halves)(largest ? theirs > ours : theirs < ours),
               equal = (Halves)(theirs == ours);
  std::memcpy(&a, in.whole + at, width);
  std::memcpy(&b, inout.whole + at, width);
  Halves before = (Halves)((Indexes)(a << index_shift) < (Indexes)(b << index_shift));
  repeat_odd(before, Places<UnsignedHalf<half>, width>{});
  alternate(data, data_bits<Value, half>, data_bits<Index, half>,
            Places<UnsignedHalf<half>, width>{});
  b ^= (a ^ b) & (wins | (equal & before)) & data;
  std::memcpy(inout.whole + at, &b, width);
}

// Two registers per step; returns where it stopped.
template <class Value, class Index, bool largest, int width, bool ahead>
[[gnu::always_inline]] inline std::size_t steps(const Thrice<const char>& in,
                                                const Thrice<char>& inout, std::size_t at,
                                                std::size_t end) noexcept {
  for (; at + 2 * width <= end; at += 2 * width) {
    fetch_ahead<2 * width, ahead>(in.whole + at, inout.whole + at);
    place<Value, Index, largest, width>(in, inout, at);
    place<Value, Index, largest, width>(in, inout, at + width);
  }
  return at;
}

// From a register's boundary on.
template <class Value, class Index, bool largest, int width>
[[gnu::always_inline]] inline void place_loop(const void* in, void* inout, Count count) noexcept {
  using P = Pair<Value, Index>;
  const Count head = unaligned_elements<P, width>(inout, count);
  scalar_loop<P, largest>(in, inout, head);
  const std::size_t end = static_cast<std::size_t>(count) * sizeof(P);
  std::size_t at = static_cast<std::size_t>(head) * sizeof(P);
  const Thrice a(static_cast<const char*>(in));
  const Thrice b(static_cast<char*>(inout));
  at = end > kFirstLevel ? steps<Value, Index, largest, width, true>(a, b, at, end)
                         : steps<Value, Index, largest, width, false>(a, b, at, end);
  scalar_loop<P, largest>(a.whole + at, b.whole + at, static_cast<Count>((end - at) / sizeof(P)));
}

template <class Value, class Index, bool largest>
void baseline_place_loop(const void* in, void* inout, Count count) noexcept {
  place_loop<Value, Index, largest, 16>(in, inout, count);
}

#if defined(TESSERA_WIDE_REGISTERS)
template <class Value, class Index, bool largest>
[[gnu::target("avx2")]] void avx2_place_loop(const void* in, void* inout, Count count) noexcept {
  place_loop<Value, Index, largest, 32>(in, inout, count);
}

template <class Value, class Index, bool largest, bool ahead>
[[TESSERA_AVX512, gnu::always_inline]] inline std::size_t wide_steps(const Thrice<const char>& in,
                                                                     const Thrice<char>& inout,
                                                                     std::size_t at,
                                                                     std::size_t end) noexcept {
  constexpr int half = sizeof(Pair<Value, Index>) / 2;
  for (; at + 128 <= end; at += 128) {
    fetch_ahead<128, ahead>(in.whole + at, inout.whole + at);
    if constexpr (half == 4) {
      wide::place_8<Value, Key<Value, half>, Index, largest>(in, inout, at);
      wide::place_8<Value, Key<Value, half>, Index, largest>(in, inout, at + 64);
    } else {
      wide::place_16<Value, Key<Value, half>, Index, Key<Index, half>, largest>(in, inout, at);
    }
  }
  return at;
}

template <class Value, class Index, bool largest>
[[TESSERA_AVX512]] void avx512_place_loop(const void* in, void* inout, Count count) noexcept {
  using P = Pair<Value, Index>;
  const Count head = unaligned_elements<P, 64>(inout, count);
  scalar_loop<P, largest>(in, inout, head);
  const std::size_t end = static_cast<std::size_t>(count) * sizeof(P);
  std::size_t at = static_cast<std::size_t>(head) * sizeof(P);
  const Thrice a(static_cast<const char*>(in));
  const Thrice b(static_cast<char*>(inout));
  at = end > kFirstLevel ? wide_steps<Value, Index, largest, true>(a, b, at, end)
                         : wide_steps<Value, Index, largest, false>(a, b, at, end);
  scalar_loop<P, largest>(a.whole + at, b.whole + at, static_cast<Count>((end - at) / sizeof(P)));
}
#endif

template <class Value, class Index, bool largest>
Loop loop_of_isa([[maybe_unused]] Isa isa) noexcept {
  if constexpr (in_halves<Value, Index>) {
#if defined(TESSERA_WIDE_REGISTERS)
    if (isa == Isa::avx512) return avx512_place_loop<Value, Index, largest>;
    if (isa == Isa::avx2) return avx2_place_loop<Value, Index, largest>;
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

// The indexes of predefined pairs: int, the 64-bit integers, and for MPI_2REAL and
// MPI_2DOUBLE_PRECISION the value's own type.
template <class Value>
Loop loop_of_value(bool largest, [[maybe_unused]] bool same, Number index, Isa isa) noexcept {
  if (index == Number::i32) return loop_of_pair<Value, std::int32_t>(largest, isa);
  if (index == Number::i64) return loop_of_pair<Value, std::int64_t>(largest, isa);
  if constexpr (std::is_same_v<Value, float> || std::is_same_v<Value, double>) {
    if (same) return loop_of_pair<Value, Value>(largest, isa);
  }
  return nullptr;
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
