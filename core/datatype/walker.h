// SPDX-License-Identifier: BSD-3-Clause
// Visiting the data of a layout in type-map order, all of it or any range of
// its bytes.
#pragma once
//
// A Mover is told what to move, in order:
//
//     block(at, bytes, kind)                     one block
//     sweep(at, block, kind, inner, outer)       blocks in two strided loops
//     blocks(node, at, first, last)              entries [first, last) of a node of shape `blocks`
//     repeat_blocks(node, at, count, stride)     all entries, `count` times
//
// The walker itself holds no state: a position is found again by dividing, so
// that it costs as many steps as the layout has levels, each constant or
// logarithmic in the length of a list.
//
#include <algorithm>

#include "core/datatype/node.h"

namespace tessera {

template <class Mover>
class Walker {
 public:
  explicit Walker(Mover& mover) noexcept : mover_(mover) {}

  // `count` elements of the piece, `stride` bytes apart.
  void repeat(const Piece& piece, std::byte* at, Count count, Aint stride) noexcept {
    at = shift(at, piece.offset);
    if (piece.node == nullptr) {
      if (count == 1) return mover_.block(at, piece.bytes, piece.kind);
      return mover_.sweep(at, piece.bytes, piece.kind, {count, stride}, {1, 0});
    }
    repeat(*piece.node, at, count, stride);
  }

  // The bytes [from, to) of these, counted in data.
  void range(const Piece& piece, std::byte* at, Count count, Aint stride, Count from,
             Count to) noexcept {
    if (from == 0 && to == piece.bytes * count) return repeat(piece, at, count, stride);
    turns(
        piece.bytes, at, stride, from, to,
        [&](std::byte* start, Count n) { repeat(piece, start, n, stride); },
        [&](std::byte* start, Count a, Count b) { part(piece, start, a, b); });
  }

 private:
  // Cuts [from, to) at the borders of turns of `bytes` each: a part, whole
  // turns, a part.
  template <class Whole, class Part>
  void turns(Count bytes, std::byte* at, Aint stride, Count from, Count to, Whole whole,
             Part part) noexcept {
    Count turn = from / bytes;
    if (const Count start = from - turn * bytes; start != 0) {
      const Count end = std::min(bytes, start + (to - from));
      part(shift(at, turn * stride), start, end);
      from += end - start;
      ++turn;
    }
    const Count n = (to - from) / bytes;
    if (n > 0) whole(shift(at, turn * stride), n);
    from += n * bytes;
    if (from < to) part(shift(at, (turn + n) * stride), Count{0}, to - from);
  }

  void repeat(const Node& node, std::byte* at, Count count, Aint stride) noexcept {
    if (node.shape == Node::Shape::grid && node.depth == 1) {
      return mover_.sweep(at, node.block, node.kind, node.dims[0], {count, stride});
    }
    if (node.shape == Node::Shape::blocks && count > 1)
      return mover_.repeat_blocks(node, at, count, stride);
    for (Count i = 0; i < count; ++i) whole(node, shift(at, i * stride));
  }

  void whole(const Node& node, std::byte* at) noexcept {
    switch (node.shape) {
      case Node::Shape::grid:
        return grid(node, node.depth, at, node.dims[node.depth - 1U].count);
      case Node::Shape::blocks:
        return mover_.blocks(node, at, 0, node.offsets.size());
      case Node::Shape::list:
        for (const Piece& piece : node.pieces) repeat(piece, at, 1, 0);
        return;
      case Node::Shape::loop:
        return repeat(*node.child, at, node.dims[0].count, node.dims[0].stride);
    }
  }

  // The innermost `depth` loops of a grid, the outermost of them `turns` times.
  void grid(const Node& node, unsigned depth, std::byte* at, Count turns) noexcept {
    const Dim& d0 = node.dims[0];
    const Dim& d1 = node.dims[1];
    if (depth == 1) return mover_.sweep(at, node.block, node.kind, {turns, d0.stride}, {1, 0});
    if (depth == 2) return mover_.sweep(at, node.block, node.kind, d0, {turns, d1.stride});
    for (Count i = 0; i < turns; ++i)
      mover_.sweep(shift(at, i * node.dims[2].stride), node.block, node.kind, d0, d1);
  }

  void part(const Piece& piece, std::byte* at, Count from, Count to) noexcept {
    at = shift(at, piece.offset);
    if (piece.node == nullptr) return mover_.block(shift(at, from), to - from, piece.kind);
    part(*piece.node, at, from, to);
  }

  void part(const Node& node, std::byte* at, Count from, Count to) noexcept {
    if (from == 0 && to == node.bytes) return whole(node, at);
    switch (node.shape) {
      case Node::Shape::grid:
        return part_of_grid(node, node.depth, node.bytes, at, from, to);
      case Node::Shape::blocks:
        return node.block != 0 ? part_of_equal(node, at, from, to)
                               : part_of_blocks(node, at, from, to);
      case Node::Shape::list:
        return part_of_list(node, at, from, to);
      case Node::Shape::loop:
        return turns(
            node.child->bytes, at, node.dims[0].stride, from, to,
            [&](std::byte* start, Count n) { repeat(*node.child, start, n, node.dims[0].stride); },
            [&](std::byte* start, Count a, Count b) { part(*node.child, start, a, b); });
    }
  }

  // `bytes` is the data of the innermost `depth` loops.
  void part_of_grid(const Node& node, unsigned depth, Count bytes, std::byte* at, Count from,
                    Count to) noexcept {
    if (depth == 0) return mover_.block(shift(at, from), to - from, node.kind);
    const Dim& dim = node.dims[depth - 1];
    turns(
        bytes / dim.count, at, dim.stride, from, to,
        [&](std::byte* start, Count n) { grid(node, depth, start, n); },
        [&](std::byte* start, Count a, Count b) {
          part_of_grid(node, depth - 1, bytes / dim.count, start, a, b);
        });
  }

  void part_of_equal(const Node& node, std::byte* at, Count from, Count to) noexcept {
    std::size_t i = static_cast<std::size_t>(from / node.block);
    if (const Count start = from % node.block; start != 0) {
      const Count end = std::min(node.block, start + (to - from));
      mover_.block(shift(at, node.offsets[i]) + start, end - start, kind_of(node, i));
      from += end - start;
      ++i;
    }
    const std::size_t last = i + static_cast<std::size_t>((to - from) / node.block);
    mover_.blocks(node, at, i, last);
    const Count rest = (to - from) % node.block;
    if (rest > 0) mover_.block(shift(at, node.offsets[last]), rest, kind_of(node, last));
  }

  void part_of_blocks(const Node& node, std::byte* at, Count from, Count to) noexcept {
    std::size_t i = entry_of(node, from);
    if (from != node.starts[i]) {
      const Count start = from - node.starts[i];
      const Count end = std::min(to, node.starts[i + 1]) - node.starts[i];
      mover_.block(shift(at, node.offsets[i]) + start, end - start, kind_of(node, i));
      if (to <= node.starts[i + 1]) return;
      ++i;
    }
    const std::size_t last = to == node.bytes ? node.offsets.size() : entry_of(node, to);
    mover_.blocks(node, at, i, last);
    if (last < node.offsets.size() && to > node.starts[last]) {
      mover_.block(shift(at, node.offsets[last]), to - node.starts[last], kind_of(node, last));
    }
  }

  void part_of_list(const Node& node, std::byte* at, Count from, Count to) noexcept {
    for (std::size_t i = entry_of(node, from); i < node.pieces.size() && node.starts[i] < to; ++i) {
      const Count start = std::max(from, node.starts[i]) - node.starts[i];
      const Count end = std::min(to, node.starts[i + 1]) - node.starts[i];
      if (start == 0 && end == node.pieces[i].bytes) {
        repeat(node.pieces[i], at, 1, 0);
      } else {
        part(node.pieces[i], at, start, end);
      }
    }
  }

  static Kind kind_of(const Node& node, std::size_t i) noexcept {
    return node.kinds.empty() ? node.kind : node.kinds[i];
  }

  Mover& mover_;
};

}  // namespace tessera
