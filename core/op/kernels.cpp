// SPDX-License-Identifier: BSD-3-Clause
// Which loop belongs to an operation and a kind of number.
#include "core/op/kernels.h"

#include "core/op/table.h"

namespace tessera::op {
namespace {

Isa isa() noexcept {
  static const Isa widest = widest_isa();
  return widest;
}

}  // namespace

const char* isa_name() noexcept {
  return isa() == Isa::avx512 ? "AVX-512" : isa() == Isa::avx2 ? "AVX2" : "baseline";
}

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
  return place_loop(operation, value, index, isa());
}

}  // namespace tessera::op
