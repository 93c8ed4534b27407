// SPDX-License-Identifier: BSD-3-Clause
// The normal form of a datatype's layout: nested loops over blocks of bytes.
#pragma once
//
// A Piece is data at an offset: a plain block of bytes, or a Node. A Node is one of
//
//     grid     a block inside up to three strided loops: vectors, subarrays
//     blocks   blocks at a list of offsets: indexed types, structs
//     list     pieces at a list of offsets
//     loop     a strided loop around a list, a list of blocks, a loop, or a grid that is full
//
// In all of them the order is that of the type map. Building merges: neighbours in memory become
// one block, loops whose strides fit become one loop, lists with a regular step become loops. So
// types that are the same data usually end as the same form, however they were made, and the depth
// of nesting grows with the logarithm of the size at most.
//
// `kind` is the basic datatype of the bytes, or 0 where blocks of several kinds were merged. A
// layout built with Merging::same_kind keeps kinds apart: that form serves external32 and the
// counting of elements. Nodes never change once built and are shared by all types that contain
// them.
//
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "core/datatype/basic.h"
#include "tessera/data.h"

namespace tessera {

struct Node;
class Record;

struct Dim {
  Count count;
  Aint stride;  // bytes
};

struct Piece {
  Aint offset = 0;
  Count bytes = 0;  // of data; 0: there is none
  Kind kind = 0;
  std::shared_ptr<const Node> node;  // null: a plain block
};

struct Node {
  enum class Shape : std::uint8_t { grid, blocks, list, loop };

  Shape shape = Shape::grid;
  std::uint8_t depth = 0;  // grid: loops used, at least one
  Kind kind = 0;
  Count bytes = 0;                    // of data in all of it
  Count block = 0;                    // grid: bytes; blocks: the same if all have one size, else 0
  std::array<Dim, 3> dims{};          // grid: the innermost first; loop: dims[0]
  std::shared_ptr<const Node> child;  // loop
  std::vector<Aint> offsets;          // blocks
  std::vector<Count> starts;  // blocks of several sizes, list: data before each, and all of it
  std::vector<Kind> kinds;    // blocks of several kinds that were kept apart
  std::vector<Piece> pieces;  // list
  std::shared_ptr<const Record>
      record;  // a few blocks of any kind: how to move many of these nodes
};

// Address arithmetic on the numbers: types of absolute addresses start at
// MPI_BOTTOM, which is no object's address.
inline std::byte* shift(std::byte* base, Aint offset) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                      static_cast<std::uintptr_t>(offset));
}

// The entry of a list, or of blocks, in which this byte of the node's data lies.
inline std::size_t entry_of(const Node& node, Count byte) noexcept {
  if (node.block != 0) return static_cast<std::size_t>(byte / node.block);
  const auto above = std::upper_bound(node.starts.begin(), node.starts.end(), byte);
  return static_cast<std::size_t>(above - node.starts.begin()) - 1;
}

enum class Merging : std::uint8_t { any_kind, same_kind };

// `count` times the piece, `stride` bytes apart.
Piece repeat(const Piece& piece, Count count, Aint stride);
// The pieces one after the other.
Piece sequence(std::vector<Piece> pieces, Merging merging);

}  // namespace tessera
