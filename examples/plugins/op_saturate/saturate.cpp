// SPDX-License-Identifier: BSD-3-Clause
// op/saturate: MPI_SUM of integers that stops at the largest and the smallest number instead of
// wrapping around.
#include <cstdint>
#include <cstring>
#include <limits>

#include "tessera/data.h"

namespace {

using namespace tessera;

template <class T>
T saturated(T a, T b) noexcept {
  T sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

template <class T>
void loop_of(const void* in, void* inout, Count count) noexcept {
  const char* a = static_cast<const char*>(in);
  char* b = static_cast<char*>(inout);
  for (; count > 0; --count, a += sizeof(T), b += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a, sizeof(T));  // buffers may have any alignment
    std::memcpy(&y, b, sizeof(T));
    y = saturated(x, y);
    std::memcpy(b, &y, sizeof(T));
  }
}

class SaturateComponent final : public op::Component {
 public:
  Status open(const Host&) noexcept override { return {}; }
  op::Loop loop(op::Operation operation, Number number, Number) noexcept override {
    if (operation != op::Operation::sum) return nullptr;
    switch (number) {
      case Number::i8:
        return loop_of<std::int8_t>;
      case Number::i16:
        return loop_of<std::int16_t>;
      case Number::i32:
        return loop_of<std::int32_t>;
      case Number::i64:
        return loop_of<std::int64_t>;
      default:
        return nullptr;
    }
  }
};

}  // namespace

TESSERA_COMPONENT(op, saturate, "1.0.0", 50, SaturateComponent,
                  "Sums of signed integers that saturate")
