// SPDX-License-Identifier: BSD-3-Clause
// One function over arrays, compiled for several instruction sets.
#pragma once

#include "core/op/kernels.h"

namespace tessera::op {

enum class Isa : std::uint8_t { baseline, avx2, avx512 };

// The widest that this processor runs.
inline Isa widest_isa() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return Isa::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return Isa::avx2;
#endif
  return Isa::baseline;
}

template <class Function, class T>
[[gnu::always_inline]] inline void loop(const void* in, void* inout, Count count) noexcept {
  const T* __restrict a = static_cast<const T*>(in);
  T* __restrict b = static_cast<T*>(inout);
  for (Count i = 0; i < count; ++i) b[i] = Function::template apply<T>(a[i], b[i]);
}

template <class Function, class T>
void baseline_loop(const void* in, void* inout, Count count) noexcept {
  loop<Function, T>(in, inout, count);
}

#if defined(__x86_64__)
template <class Function, class T>
[[gnu::target("avx2")]] void avx2_loop(const void* in, void* inout, Count count) noexcept {
  loop<Function, T>(in, inout, count);
}

template <class Function, class T>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void avx512_loop(const void* in, void* inout,
                                                                       Count count) noexcept {
  loop<Function, T>(in, inout, count);
}
#endif

template <class Function, class T>
constexpr Loop loop_for(Isa isa) noexcept {
  if constexpr (Function::template defined<T>) {
#if defined(__x86_64__)
    if (isa == Isa::avx512) return avx512_loop<Function, T>;
    if (isa == Isa::avx2) return avx2_loop<Function, T>;
#endif
    return baseline_loop<Function, T>;
  } else {
    return nullptr;
  }
}

}  // namespace tessera::op
