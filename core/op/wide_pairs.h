// SPDX-License-Identifier: BSD-3-Clause
// The loops over pairs for AVX-512, where a comparison makes a mask.
#pragma once
//
// There is one unit for comparisons and for exchanges between places, and three comparisons are
// needed: so values and indexes are repeated while they are loaded, which costs nothing, or two
// registers of pairs are compared as one.
//
#include "core/op/rows.h"

#if defined(TESSERA_WIDE_REGISTERS)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#define TESSERA_AVX512 gnu::target("avx512f,avx512bw,avx512dq,avx512vl")

namespace tessera::op::wide {

enum class Order { less, greater, equal };

// A bit per number; nothing is true of NaN.
template <Order order, class T>
[[TESSERA_AVX512, gnu::always_inline]] inline unsigned compare(__m512i x, __m512i y,
                                                               unsigned among) noexcept {
  constexpr int whole = order == Order::less      ? _MM_CMPINT_LT
                        : order == Order::greater ? _MM_CMPINT_NLE
                                                  : _MM_CMPINT_EQ;
  constexpr int real = order == Order::less      ? _CMP_LT_OQ
                       : order == Order::greater ? _CMP_GT_OQ
                                                 : _CMP_EQ_OQ;
  const auto halves = static_cast<__mmask16>(among);
  const auto pairs = static_cast<__mmask8>(among);
  if constexpr (std::is_same_v<T, float>) {
    return _mm512_mask_cmp_ps_mask(halves, (__m512)x, (__m512)y, real);
  } else if constexpr (std::is_same_v<T, double>) {
    return _mm512_mask_cmp_pd_mask(pairs, (__m512d)x, (__m512d)y, real);
  } else if constexpr (sizeof(T) == 4) {
    return std::is_signed_v<T> ? _mm512_mask_cmp_epi32_mask(halves, x, y, whole)
                               : _mm512_mask_cmp_epu32_mask(halves, x, y, whole);
  } else {
    return std::is_signed_v<T> ? _mm512_mask_cmp_epi64_mask(pairs, x, y, whole)
                               : _mm512_mask_cmp_epu64_mask(pairs, x, y, whole);
  }
}

// Where the pair of `in` is taken.
template <class Value, class Index, bool largest>
[[TESSERA_AVX512, gnu::always_inline]] inline unsigned taken(__m512i value, __m512i index,
                                                             __m512i our_value,
                                                             __m512i our_index) noexcept {
  const unsigned wins = compare < largest ? Order::greater : Order::less,
                 Value > (value, our_value, ~0u);
  const unsigned equal = compare<Order::equal, Value>(value, our_value, ~0u);
  return wins | compare<Order::less, Index>(index, our_index, equal);
}

// Pairs of 8 bytes. Key is Value, widened to 4 bytes.
template <class Value, class Key, class Index, bool largest>
[[TESSERA_AVX512, gnu::always_inline]] inline void place_8(const Thrice<const char>& in,
                                                           const Thrice<char>& inout,
                                                           std::size_t at) noexcept {
  constexpr int spare = 32 - 8 * static_cast<int>(sizeof(Value));
  Row<std::uint32_t, 64> value, ours, index, our_index;
  load_even<4, 64>(in.values + at, value);
  load_even<4, 64>(inout.values + at, ours);
  load_odd<4, 64>(in.indexes + at, index);
  load_odd<4, 64>(inout.indexes + at, our_index);
  __m512i whole = _mm512_loadu_si512(in.whole + at);
  if constexpr (spare != 0) {
    const __m512i data =
        _mm512_set1_epi64(static_cast<long long>(0xffffffff00000000 | (0xffffffff >> spare)));
    whole = _mm512_ternarylogic_epi64(data, whole, (__m512i)ours, 0xca);
    value <<= spare;
    ours <<= spare;
  }
  const unsigned take =
      taken<Key, Index, largest>((__m512i)value, (__m512i)index, (__m512i)ours, (__m512i)our_index);
  _mm512_mask_storeu_epi32(inout.whole + at, static_cast<__mmask16>(take), whole);
}

// Values of two registers of pairs of 16 bytes: first of one, first of the other, second of one,
// ...
[[TESSERA_AVX512, gnu::always_inline]] inline __m512i values_of_two(const char* from) noexcept {
  Row<double, 64> one;
  load_even<8, 64>(from, one);
  return (__m512i)_mm512_mask_movedup_pd((__m512d)one, 0xaa, _mm512_loadu_pd(from + 64));
}
[[TESSERA_AVX512, gnu::always_inline]] inline __m512i indexes_of_two(__m512i one,
                                                                     __m512i other) noexcept {
  return (__m512i)_mm512_mask_permute_pd((__m512d)other, 0x55, (__m512d)one, 0xff);
}

template <int spare>
[[TESSERA_AVX512, gnu::always_inline]] inline __m512i to_the_top(__m512i numbers) noexcept {
  return (__m512i)((Row<std::uint64_t, 64>)numbers << spare);
}

// For vpshufb: byte `from` of every 16 in all places of data; 0 (what a place beyond 127 means)
// elsewhere.
constexpr long long repeated(int from, int bytes) noexcept {
  std::uint64_t places = 0;
  for (int i = 0; i < 8; ++i)
    places |= static_cast<std::uint64_t>(i < bytes ? from : 0x80) << 8 * i;
  return static_cast<long long>(places);
}
template <int from, int value, int index>
[[TESSERA_AVX512, gnu::always_inline]] inline __m512i repeat() noexcept {
  constexpr long long v = repeated(from, value), x = repeated(from, index);
  return _mm512_set_epi64(x, v, x, v, x, v, x, v);
}

// Pairs of 16 bytes, eight of them.
template <class Value, class Key, class Index, class IndexKey, bool largest>
[[TESSERA_AVX512, gnu::always_inline]] inline void place_16(const Thrice<const char>& in,
                                                            const Thrice<char>& inout,
                                                            std::size_t at) noexcept {
  constexpr int spare = 64 - 8 * static_cast<int>(sizeof(Value));
  constexpr int index_spare = 64 - 8 * static_cast<int>(sizeof(Index));
  const __m512i a0 = _mm512_loadu_si512(in.whole + at), a1 = _mm512_loadu_si512(in.whole + at + 64);
  const __m512i b0 = _mm512_loadu_si512(inout.whole + at),
                b1 = _mm512_loadu_si512(inout.whole + at + 64);
  const unsigned take =
      taken<Key, IndexKey, largest>(to_the_top<spare>(values_of_two(in.values + at)),
                                    to_the_top<index_spare>(indexes_of_two(a0, a1)),
                                    to_the_top<spare>(values_of_two(inout.values + at)),
                                    to_the_top<index_spare>(indexes_of_two(b0, b1)));
  const __m512i all = _mm512_movm_epi64(static_cast<__mmask8>(take));
  const __m512i first = repeat<0, sizeof(Value), sizeof(Index)>();
  const __m512i second = repeat<8, sizeof(Value), sizeof(Index)>();
  _mm512_storeu_si512(inout.whole + at,
                      _mm512_ternarylogic_epi64(_mm512_shuffle_epi8(all, first), a0, b0, 0xca));
  _mm512_storeu_si512(inout.whole + at + 64,
                      _mm512_ternarylogic_epi64(_mm512_shuffle_epi8(all, second), a1, b1, 0xca));
}

}  // namespace tessera::op::wide

#endif
