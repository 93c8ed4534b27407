// SPDX-License-Identifier: BSD-3-Clause
// Copying blocks of a fixed size that lie at regular steps, at listed offsets, or at fixed places
// of records.
#pragma once
//
// Sizes up to kSmall have a kernel each, in which the copy of a block is a few
// instructions; larger blocks go to memcpy. The regions do not overlap.
//
#include <array>
#include <cstddef>
#include <span>

#include "core/datatype/node.h"

namespace tessera {

constexpr std::size_t kSmall = 64;  // bytes

// outer.count times inner.count blocks; steps in bytes on both sides.
struct Sweep {
  std::size_t block;
  Count inner, outer;
  Aint to_inner, from_inner;
  Aint to_outer, from_outer;
};
using SweepKernel = void (*)(std::byte* to, const std::byte* from, const Sweep& sweep) noexcept;
SweepKernel sweep_kernel(std::size_t block) noexcept;

// `n` blocks from (gather) or to (scatter) `base` plus each offset; the other
// side is packed.
using ListKernel = void (*)(std::byte* packed, std::byte* base, const Aint* offsets, std::size_t n,
                            std::size_t block) noexcept;
ListKernel gather_kernel(std::size_t block) noexcept;
ListKernel scatter_kernel(std::size_t block) noexcept;

// Words of 1, 2, 4, 8 or 16 bytes at fixed places of records that follow each other; steps and
// places in bytes. The kernels are given the addresses of the first word.
constexpr std::size_t kWordsAtOnce = 4;
struct Records {
  Count turns;
  Aint to_step, from_step;
  std::array<Aint, kWordsAtOnce> to, from;  // relative to the first word
};
using RecordKernel = void (*)(std::byte* to, const std::byte* from,
                              const Records& records) noexcept;
// For one, two or four words per record, given by the logarithms of their sizes.
RecordKernel record_kernel(std::span<const unsigned> logs) noexcept;

}  // namespace tessera
