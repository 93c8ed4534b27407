// SPDX-License-Identifier: BSD-3-Clause
// Copying blocks of a fixed size.
#include "core/datatype/kernels.h"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tessera/copy.h"

namespace tessera {
namespace {

// The registers that hold a block of N bytes; none for other sizes.
template <std::size_t N>
struct Register {
  using Type = void;
};
template <>
struct Register<1> {
  using Type = std::uint8_t;
};
template <>
struct Register<2> {
  using Type = std::uint16_t;
};
template <>
struct Register<4> {
  using Type = std::uint32_t;
};
template <>
struct Register<8> {
  using Type = std::uint64_t;
};

template <class Word>
Word load(const std::byte* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
template <class Word>
void store(std::byte* to, Word word) noexcept {
  std::memcpy(to, &word, sizeof word);
}

// A few loads and stores; never by way of a temporary, which the compiler would put on the stack.
template <std::size_t N>
void copy(std::byte* to, const std::byte* from) noexcept {
  std::memcpy(to, from, N);
}

// Blocks that fit a register: four loads before four stores, so that they need not wait for each
// other.
template <std::size_t N>
void copy_row(std::byte* to, const std::byte* from, Count n, Aint to_step,
              Aint from_step) noexcept {
  using Word = typename Register<N>::Type;
  if constexpr (!std::is_void_v<Word>) {
    for (; n >= 4; n -= 4, to += 4 * to_step, from += 4 * from_step) {
      const Word a = load<Word>(from), b = load<Word>(from + from_step),
                 c = load<Word>(from + 2 * from_step), d = load<Word>(from + 3 * from_step);
      store(to, a);
      store(to + to_step, b);
      store(to + 2 * to_step, c);
      store(to + 3 * to_step, d);
    }
  } else if constexpr (N <= 32) {
    for (; n >= 4; n -= 4, to += 4 * to_step, from += 4 * from_step) {
      copy<N>(to, from);
      copy<N>(to + to_step, from + from_step);
      copy<N>(to + 2 * to_step, from + 2 * from_step);
      copy<N>(to + 3 * to_step, from + 3 * from_step);
    }
  }
  for (; n > 0; --n, to += to_step, from += from_step) copy<N>(to, from);
}

template <std::size_t N>
void sweep_small(std::byte* to, const std::byte* from, const Sweep& s) noexcept {
  for (Count i = 0; i < s.outer; ++i, to += s.to_outer, from += s.from_outer) {
    copy_row<N>(to, from, s.inner, s.to_inner, s.from_inner);
  }
}

void sweep_large(std::byte* to, const std::byte* from, const Sweep& s) noexcept {
  for (Count i = 0; i < s.outer; ++i) {
    std::byte* t = to + i * s.to_outer;
    const std::byte* f = from + i * s.from_outer;
    for (Count j = 0; j < s.inner; ++j, t += s.to_inner, f += s.from_inner)
      copy_near(t, f, s.block);
  }
}

template <std::size_t N>
void gather_small(std::byte* packed, std::byte* base, const Aint* offsets, std::size_t n,
                  std::size_t) noexcept {
  for (std::size_t i = 0; i < n; ++i, packed += N) copy<N>(packed, shift(base, offsets[i]));
}

void gather_large(std::byte* packed, std::byte* base, const Aint* offsets, std::size_t n,
                  std::size_t block) noexcept {
  for (std::size_t i = 0; i < n; ++i, packed += block)
    copy_near(packed, shift(base, offsets[i]), block);
}

template <std::size_t N>
void scatter_small(std::byte* packed, std::byte* base, const Aint* offsets, std::size_t n,
                   std::size_t) noexcept {
  for (std::size_t i = 0; i < n; ++i, packed += N) copy<N>(shift(base, offsets[i]), packed);
}

void scatter_large(std::byte* packed, std::byte* base, const Aint* offsets, std::size_t n,
                   std::size_t block) noexcept {
  for (std::size_t i = 0; i < n; ++i, packed += block)
    copy_near(shift(base, offsets[i]), packed, block);
}

template <std::size_t... sizes>
constexpr auto sweep_table(std::index_sequence<sizes...>) noexcept {
  return std::array<SweepKernel, kSmall>{sweep_small<sizes + 1>...};
}
template <std::size_t... sizes>
constexpr auto gather_table(std::index_sequence<sizes...>) noexcept {
  return std::array<ListKernel, kSmall>{gather_small<sizes + 1>...};
}
template <std::size_t... sizes>
constexpr auto scatter_table(std::index_sequence<sizes...>) noexcept {
  return std::array<ListKernel, kSmall>{scatter_small<sizes + 1>...};
}

constexpr auto kSweeps = sweep_table(std::make_index_sequence<kSmall>());
constexpr auto kGathers = gather_table(std::make_index_sequence<kSmall>());
constexpr auto kScatters = scatter_table(std::make_index_sequence<kSmall>());

// In the order of the record: a processor merges stores to one cache line only while they follow
// each other, which is half of the speed outside the first-level cache.
template <unsigned a, unsigned b>
void copy_pairs(std::byte* to, const std::byte* from, const Records& r) noexcept {
  const Aint t1 = r.to[1], f1 = r.from[1], to_step = r.to_step, from_step = r.from_step;
  for (Count n = r.turns; n > 0; --n, to += to_step, from += from_step) {
    copy<1U << a>(to, from);
    copy<1U << b>(to + t1, from + f1);
  }
}

template <unsigned a, unsigned b, unsigned c, unsigned d>
void copy_fours(std::byte* to, const std::byte* from, const Records& r) noexcept {
  const Aint t1 = r.to[1], t2 = r.to[2], t3 = r.to[3], f1 = r.from[1], f2 = r.from[2],
             f3 = r.from[3];
  const Aint to_step = r.to_step, from_step = r.from_step;
  for (Count n = r.turns; n > 0; --n, to += to_step, from += from_step) {
    copy<1U << a>(to, from);
    copy<1U << b>(to + t1, from + f1);
    copy<1U << c>(to + t2, from + f2);
    copy<1U << d>(to + t3, from + f3);
  }
}

template <unsigned a>
void copy_singles(std::byte* to, const std::byte* from, const Records& r) noexcept {
  copy_row<1U << a>(to, from, r.turns, r.to_step, r.from_step);
}

constexpr std::size_t kWidths = 5;  // 1, 2, 4, 8, 16 bytes
constexpr std::array<RecordKernel, kWidths> kSingles = {
    copy_singles<0>, copy_singles<1>, copy_singles<2>, copy_singles<3>, copy_singles<4>};

// `index` has a digit for each word.
template <std::size_t index>
constexpr RecordKernel pair_entry() noexcept {
  return copy_pairs<index / kWidths, index % kWidths>;
}
template <std::size_t index>
constexpr RecordKernel four_entry() noexcept {
  constexpr std::size_t high = index / (kWidths * kWidths), low = index % (kWidths * kWidths);
  return copy_fours<high / kWidths, high % kWidths, low / kWidths, low % kWidths>;
}
template <std::size_t... indices>
constexpr auto pair_table(std::index_sequence<indices...>) noexcept {
  return std::array<RecordKernel, sizeof...(indices)>{pair_entry<indices>()...};
}
template <std::size_t... indices>
constexpr auto four_table(std::index_sequence<indices...>) noexcept {
  return std::array<RecordKernel, sizeof...(indices)>{four_entry<indices>()...};
}

constexpr auto kPairs = pair_table(std::make_index_sequence<kWidths * kWidths>());
constexpr auto kFours =
    four_table(std::make_index_sequence<kWidths * kWidths * kWidths * kWidths>());

}  // namespace

RecordKernel record_kernel(std::span<const unsigned> logs) noexcept {
  std::size_t index = 0;
  for (const unsigned log : logs) index = index * kWidths + log;
  if (logs.size() == 4) return kFours[index];
  return logs.size() == 2 ? kPairs[index] : kSingles[index];
}

SweepKernel sweep_kernel(std::size_t block) noexcept {
  return block <= kSmall ? kSweeps[block - 1] : sweep_large;
}

ListKernel gather_kernel(std::size_t block) noexcept {
  return block <= kSmall ? kGathers[block - 1] : gather_large;
}

ListKernel scatter_kernel(std::size_t block) noexcept {
  return block <= kSmall ? kScatters[block - 1] : scatter_large;
}

}  // namespace tessera
