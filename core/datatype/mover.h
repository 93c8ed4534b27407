// SPDX-License-Identifier: BSD-3-Clause
// The movers of packing and unpacking: bytes as they are.
#pragma once

#include <cstring>

#include "core/datatype/kernels.h"
#include "core/datatype/record.h"
#include "tessera/copy.h"

namespace tessera {

enum class Direction : std::uint8_t { pack, unpack };

// Copies between the data and a packed stream, which advances.
template <Direction direction>
class ByteMover {
 public:
  // Unpacking only reads the stream.
  explicit ByteMover(std::byte* stream) noexcept : stream_(stream) {}

  void block(std::byte* at, Count bytes, Kind) noexcept {
    const std::size_t n = static_cast<std::size_t>(bytes);
    copy_near(pick(stream_, at), pick(at, stream_), n);
    stream_ += n;
  }

  void sweep(std::byte* at, Count block, Kind, Dim inner, Dim outer) noexcept {
    if (inner.count < 4 && outer.count > inner.count) {
      return sweep_columns(at, block, inner, outer);
    }
    run(at, {inner.stride, outer.stride}, {block, block * inner.count}, block, inner.count,
        outer.count);
    stream_ += block * inner.count * outer.count;
  }

  void blocks(const Node& node, std::byte* at, std::size_t first, std::size_t last) noexcept {
    if (node.block != 0) {
      const std::size_t block = static_cast<std::size_t>(node.block);
      const auto kernel =
          direction == Direction::pack ? gather_kernel(block) : scatter_kernel(block);
      kernel(stream_, at, node.offsets.data() + first, last - first, block);
      stream_ += block * (last - first);
      return;
    }
    for (std::size_t i = first; i < last; ++i) {
      copy_some(shift(at, node.offsets[i]),
                static_cast<std::size_t>(node.starts[i + 1] - node.starts[i]));
    }
  }

  // A few words of each entry over a number of turns that stay in the first-level cache, then the
  // next words. Packing writes every place of the stream once, so the order is free; unpacking data
  // that overlaps is wrong in MPI (MPI-5.0 §5.1.11).
  void repeat_blocks(const Node& node, std::byte* at, Count count, Aint stride) noexcept {
    if (count < 2 || node.record == nullptr) {
      for (Count i = 0; i < count; ++i) blocks(node, shift(at, i * stride), 0, node.offsets.size());
      return;
    }
    const Count reach = std::max<Count>(node.bytes, stride < 0 ? -stride : stride);
    const bool small = count <= kCache && reach <= kCache && count * reach <= kCache;
    if (small || count <= kFew) return columns(node, at, count, stride);
    const Count turns = std::max<Count>(kFew, kCache / reach);
    for (Count done = 0; done < count; done += turns) {
      columns(node, shift(at, done * stride), std::min(turns, count - done), stride);
    }
  }

 private:
  // Bytes of data touched before the next words (measured: docs/decisions/0065).
  static constexpr Count kCache = 16 * 1024;
  static constexpr Count kFew = 4;

  struct Steps {
    Aint inner, outer;
  };

  static std::byte* pick(std::byte* when_packing, std::byte* when_unpacking) noexcept {
    return direction == Direction::pack ? when_packing : when_unpacking;
  }

  void run(std::byte* at, Steps data, Steps stream, Count block, Count inner,
           Count outer) noexcept {
    run_from(stream_, at, data, stream, block, inner, outer);
  }
  static void run_from(std::byte* stream, std::byte* at, Steps data, Steps packed, Count block,
                       Count inner, Count outer) noexcept {
    const Steps to = direction == Direction::pack ? packed : data;
    const Steps from = direction == Direction::pack ? data : packed;
    const std::size_t bytes = static_cast<std::size_t>(block);
    const Sweep sweep{bytes, inner, outer, to.inner, from.inner, to.outer, from.outer};
    sweep_kernel(bytes)(pick(stream, at), pick(at, stream), sweep);
  }

  // Short rows: the long loop goes inside.
  void sweep_columns(std::byte* at, Count block, Dim inner, Dim outer) noexcept {
    const Aint row = block * inner.count;
    run(at, {outer.stride, inner.stride}, {row, block}, block, outer.count, inner.count);
    stream_ += row * outer.count;
  }

  void columns(const Node& node, std::byte* at, Count turns, Aint stride) noexcept {
    if (!node.record->complete()) large_columns(node, at, turns, stride);
    if constexpr (direction == Direction::pack) {
      node.record->pack(stream_, at, turns, stride, node.bytes);
    } else {
      node.record->unpack(stream_, at, turns, stride, node.bytes);
    }
    stream_ += node.bytes * turns;
  }

  void large_columns(const Node& node, std::byte* at, Count turns, Aint stride) noexcept {
    Count start = 0;
    for (std::size_t i = 0; i < node.offsets.size(); ++i) {
      const Count bytes = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
      if (bytes > static_cast<Count>(kSmall))
        run_from(stream_ + start, shift(at, node.offsets[i]), {stride, 0}, {node.bytes, 0}, bytes,
                 turns, 1);
      start += bytes;
    }
  }

  void copy_some(std::byte* at, std::size_t n) noexcept {
    std::byte* to = pick(stream_, at);
    const std::byte* from = pick(at, stream_);
    stream_ += n;
    if (n == 4) {
      std::memcpy(to, from, 4);
    } else if (n == 8) {
      std::memcpy(to, from, 8);
    } else {
      copy_near(to, from, n);
    }
  }

  std::byte* stream_;
};

}  // namespace tessera
