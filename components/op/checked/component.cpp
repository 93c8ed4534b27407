// SPDX-License-Identifier: BSD-3-Clause
// op/checked: loops that say where an integer overflowed or a number became infinite or NaN.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "loops.h"
#include "tessera/data.h"

namespace tessera::op::checked {
namespace {

template <class T>
void write(char (&text)[64], T value) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    std::snprintf(text, sizeof text, "%.*Lg", std::numeric_limits<T>::max_digits10,
                  static_cast<long double>(value));
  } else if constexpr (std::is_signed_v<T>) {
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
  } else {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
  }
}

template <class T>
const char* name_of() noexcept {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? "float" : sizeof(T) == 8 ? "double" : "long double";
  constexpr const char* whole[] = {"int8",  "int16",  "int32",  "int64",
                                   "uint8", "uint16", "uint32", "uint64"};
  constexpr int row = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return whole[row + (std::is_unsigned_v<T> ? 4 : 0)];
}

// The first element that is wrong, and how many there are.
template <class T>
struct Finding {
  Count wrong = 0;
  Count first = 0;
  T in{}, inout{}, result{};
};

template <class Function, class T>
void report(const Finding<T>& found, Count count) noexcept {
  char in[64], inout[64], result[64];
  write(in, found.in);
  write(inout, found.inout);
  write(result, found.result);
  std::fprintf(stderr,
               "op/checked: process %d: %s of %s: %s %s %s gives %s at element %lld (%lld of %lld "
               "are wrong)\n",
               static_cast<int>(getpid()), Function::name, name_of<T>(), in, Function::sign, inout,
               result, static_cast<long long>(found.first), static_cast<long long>(found.wrong),
               static_cast<long long>(count));
}

template <class Function, class T, bool fatal>
void loop(const void* in, void* inout, Count count) noexcept {
  const auto* a = static_cast<const char*>(in);
  auto* b = static_cast<char*>(inout);
  Finding<T> found;
  for (Count i = 0; i < count; ++i, a += sizeof(T), b += sizeof(T)) {
    T x, y, result;
    std::memcpy(&x, a, sizeof(T));
    std::memcpy(&y, b, sizeof(T));
    const bool right = Function::apply(x, y, result);
    std::memcpy(b, &result, sizeof(T));
    if (!right && found.wrong++ == 0) found = {1, i, x, y, result};
  }
  if (found.wrong == 0) return;
  report<Function>(found, count);
  if (fatal) std::abort();
}

template <class Function, class T>
Loop choose(bool fatal) noexcept {
  return fatal ? loop<Function, T, true> : loop<Function, T, false>;
}

template <class Function>
Loop real_loop(Number number, bool fatal) noexcept {
  if (number == Number::f32) return choose<Function, float>(fatal);
  if (number == Number::f64) return choose<Function, double>(fatal);
  return number == Number::f80 ? choose<Function, long double>(fatal) : nullptr;
}

template <class Function>
Loop any_loop(Number number, bool fatal) noexcept {
  switch (number) {
    case Number::i8:
      return choose<Function, std::int8_t>(fatal);
    case Number::i16:
      return choose<Function, std::int16_t>(fatal);
    case Number::i32:
      return choose<Function, std::int32_t>(fatal);
    case Number::i64:
      return choose<Function, std::int64_t>(fatal);
    case Number::u8:
      return choose<Function, std::uint8_t>(fatal);
    case Number::u16:
      return choose<Function, std::uint16_t>(fatal);
    case Number::u32:
      return choose<Function, std::uint32_t>(fatal);
    case Number::u64:
      return choose<Function, std::uint64_t>(fatal);
    default:
      return real_loop<Function>(number, fatal);
  }
}

class CheckedComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override {
    fatal_ = host.params.text("action") == "abort";
    return {};
  }
  Loop loop(Operation operation, Number number, Number) noexcept override {
    switch (operation) {
      case Operation::sum:
        return any_loop<Sum>(number, fatal_);
      case Operation::product:
        return any_loop<Product>(number, fatal_);
      case Operation::maximum:
        return real_loop<Maximum>(number, fatal_);
      case Operation::minimum:
        return real_loop<Minimum>(number, fatal_);
      default:
        return nullptr;
    }
  }

 private:
  bool fatal_ = false;
};

}  // namespace
}  // namespace tessera::op::checked

// clang-format off
TESSERA_COMPONENT(op, checked, "1.0.0", 0, tessera::op::checked::CheckedComponent,
  "Reports integer overflow, and results that become infinite or NaN, in reductions",
  TESSERA_PARAM("action", text, "report", "report,abort", "", 2,
    "What to do on a finding. report: one line on standard error. abort: the line, then abort the "
    "process."))
// clang-format on
