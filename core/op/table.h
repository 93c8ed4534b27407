// SPDX-License-Identifier: BSD-3-Clause
// The loop of a function for a kind of number.
#pragma once

#include "core/op/functions.h"
#include "core/op/loops.h"

namespace tessera::op {

// Long double and 128-bit numbers gain nothing from wide registers.
template <class Function>
constexpr Loop loop_of(Number number, Isa isa) noexcept {
  switch (number) {
    case Number::i8:
      return loop_for<Function, std::int8_t>(isa);
    case Number::i16:
      return loop_for<Function, std::int16_t>(isa);
    case Number::i32:
      return loop_for<Function, std::int32_t>(isa);
    case Number::i64:
      return loop_for<Function, std::int64_t>(isa);
    case Number::i128:
      return loop_for<Function, Int128>(Isa::baseline);
    case Number::u8:
      return loop_for<Function, std::uint8_t>(isa);
    case Number::u16:
      return loop_for<Function, std::uint16_t>(isa);
    case Number::u32:
      return loop_for<Function, std::uint32_t>(isa);
    case Number::u64:
      return loop_for<Function, std::uint64_t>(isa);
    case Number::f32:
      return loop_for<Function, float>(isa);
    case Number::f64:
      return loop_for<Function, double>(isa);
    case Number::f80:
      return loop_for<Function, long double>(Isa::baseline);
    case Number::f128:
      return loop_for<Function, Float128>(Isa::baseline);
    case Number::c32:
      return loop_for<Function, Complex<float>>(isa);
    case Number::c64:
      return loop_for<Function, Complex<double>>(isa);
    case Number::c80:
      return loop_for<Function, Complex<long double>>(Isa::baseline);
    case Number::c128:
      return loop_for<Function, Complex<Float128>>(Isa::baseline);
    case Number::l8:
      return loop_for<Function, Truth<std::uint8_t>>(isa);
    case Number::l16:
      return loop_for<Function, Truth<std::uint16_t>>(isa);
    case Number::l32:
      return loop_for<Function, Truth<std::uint32_t>>(isa);
    case Number::l64:
      return loop_for<Function, Truth<std::uint64_t>>(isa);
    case Number::l128:
      return loop_for<Function, Truth<Int128>>(Isa::baseline);
    case Number::none:
      break;
  }
  return nullptr;
}

// Each is defined in a file of its own, since they take long to compile.
Loop arithmetic_loop(Operation operation, Number number, Isa isa) noexcept;
Loop ordering_loop(Operation operation, Number number, Isa isa) noexcept;
Loop bitwise_loop(Operation operation, Number number, Isa isa) noexcept;
Loop logical_loop(Operation operation, Number number, Isa isa) noexcept;
Loop place_loop(Operation operation, Number value, Number index, Isa isa) noexcept;

}  // namespace tessera::op
