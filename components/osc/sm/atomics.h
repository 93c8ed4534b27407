// SPDX-License-Identifier: BSD-3-Clause
// Elements that the processor changes atomically.
#pragma once

#include <atomic>
#include <cstring>

#include "tessera/osc.h"

namespace tessera::osc::sm {

// Whether elements of this kind are changed by the processor where they are aligned.
constexpr bool native(Number number, std::size_t bytes) noexcept {
  const bool whole = (number >= Number::i8 && number <= Number::u64) ||
                     (number >= Number::l8 && number <= Number::l64);
  return whole && number != Number::i128 && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
}

// The element at `at` becomes what the operation makes of it; returns what it was.
template <class T>
T change(T* at, T operand, const Combination& how) noexcept {
  std::atomic_ref<T> element(*at);
  constexpr auto order = std::memory_order_acq_rel;
  using Kind = Combination::Kind;
  if (how.kind == Kind::no_op) return element.load(std::memory_order_acquire);
  if (how.kind == Kind::replace) return element.exchange(operand, order);
  const bool truth = how.number >= Number::l8;
  if (!truth && how.operation == op::Operation::sum) return element.fetch_add(operand, order);
  if (!truth && how.operation == op::Operation::bit_and) return element.fetch_and(operand, order);
  if (!truth && how.operation == op::Operation::bit_or) return element.fetch_or(operand, order);
  if (!truth && how.operation == op::Operation::bit_xor) return element.fetch_xor(operand, order);
  T was = element.load(std::memory_order_relaxed);
  T next;
  do {
    next = was;
    static_cast<void>(how.op->apply(&operand, &next, 1, *how.element));
  } while (!element.compare_exchange_weak(was, next, order, std::memory_order_relaxed));
  return was;
}

template <class T>
void change_all(std::byte* at, const std::byte* operands, std::byte* results, std::size_t n,
                const Combination& how) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    T operand{};
    if (operands != nullptr) std::memcpy(&operand, operands + i * sizeof(T), sizeof(T));
    const T was = change(reinterpret_cast<T*>(at + i * sizeof(T)), operand, how);
    if (results != nullptr) std::memcpy(results + i * sizeof(T), &was, sizeof(T));
  }
}

// `n` elements that follow each other; operands and results may have any alignment.
inline void change_native(std::byte* at, const std::byte* operands, std::byte* results,
                          std::size_t n, std::size_t bytes, const Combination& how) noexcept {
  switch (bytes) {
    case 1:
      return change_all<std::uint8_t>(at, operands, results, n, how);
    case 2:
      return change_all<std::uint16_t>(at, operands, results, n, how);
    case 4:
      return change_all<std::uint32_t>(at, operands, results, n, how);
    default:
      return change_all<std::uint64_t>(at, operands, results, n, how);
  }
}

template <class T>
void swap_if_equal(std::byte* at, const void* from, const void* compare, void* result) noexcept {
  T next;
  T expected;
  std::memcpy(&next, from, sizeof(T));
  std::memcpy(&expected, compare, sizeof(T));
  std::atomic_ref<T> element(*reinterpret_cast<T*>(at));
  element.compare_exchange_strong(expected, next, std::memory_order_acq_rel,
                                  std::memory_order_acquire);
  std::memcpy(result, &expected, sizeof(T));
}

}  // namespace tessera::osc::sm
