// SPDX-License-Identifier: BSD-3-Clause
// Which loop belongs to an operation and a kind of number, and the loops over
// pairs.
#include "core/op/kernels.h"

#include "core/op/table.h"

namespace tessera::op {
namespace {

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

// Written member by member: the padding of a pair is not ours.
template <class Value, class Index, bool largest>
void place_loop(const void* in, void* inout, Count count) noexcept {
  const auto* a = static_cast<const Pair<Value, Index>*>(in);
  auto* b = static_cast<Pair<Value, Index>*>(inout);
  for (Count i = 0; i < count; ++i) {
    const bool wins = largest ? a[i].value > b[i].value : a[i].value < b[i].value;
    if (wins) {
      b[i].value = a[i].value;
      b[i].index = a[i].index;
    } else if (a[i].value == b[i].value && a[i].index < b[i].index) {
      b[i].index = a[i].index;
    }
  }
}

template <class Value, class Index>
Loop place_loop_of(bool largest) noexcept {
  return largest ? place_loop<Value, Index, true> : place_loop<Value, Index, false>;
}

// The indexes of predefined pairs: int, the 64-bit integers, and for the pairs
// of Fortran the value's own type.
template <class Value>
Loop place_loop_of(bool largest, bool same, Number index) noexcept {
  if (index == Number::i32) return place_loop_of<Value, std::int32_t>(largest);
  if (index == Number::i64) return place_loop_of<Value, std::int64_t>(largest);
  return same ? place_loop_of<Value, Value>(largest) : nullptr;
}

Isa isa() noexcept {
  static const Isa widest = widest_isa();
  return widest;
}

}  // namespace

Loop number_loop(Operation operation, Number number) noexcept {
  switch (operation) {
    case Operation::sum:
    case Operation::product:
      return arithmetic_loop(operation, number, isa());
    case Operation::maximum:
    case Operation::minimum:
      return ordering_loop(operation, number, isa());
    case Operation::bit_and:
    case Operation::bit_or:
    case Operation::bit_xor:
      return bitwise_loop(operation, number, isa());
    case Operation::logical_and:
    case Operation::logical_or:
    case Operation::logical_xor:
      return logical_loop(operation, number, isa());
    default:
      return nullptr;
  }
}

Loop pair_loop(Operation operation, Number value, Number index) noexcept {
  const bool largest = operation == Operation::maximum_place;
  if (!largest && operation != Operation::minimum_place) return nullptr;
  const bool same = value == index;
  switch (value) {
    case Number::i8:
      return place_loop_of<std::int8_t>(largest, same, index);
    case Number::u8:
      return place_loop_of<std::uint8_t>(largest, same, index);
    case Number::i16:
      return place_loop_of<std::int16_t>(largest, same, index);
    case Number::u16:
      return place_loop_of<std::uint16_t>(largest, same, index);
    case Number::i32:
      return place_loop_of<std::int32_t>(largest, same, index);
    case Number::u32:
      return place_loop_of<std::uint32_t>(largest, same, index);
    case Number::i64:
      return place_loop_of<std::int64_t>(largest, same, index);
    case Number::u64:
      return place_loop_of<std::uint64_t>(largest, same, index);
    case Number::f32:
      return place_loop_of<float>(largest, same, index);
    case Number::f64:
      return place_loop_of<double>(largest, same, index);
    case Number::f80:
      return place_loop_of<long double>(largest, same, index);
    default:
      return nullptr;
  }
}

}  // namespace tessera::op
