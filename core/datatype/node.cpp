// SPDX-License-Identifier: BSD-3-Clause
// Building the normal form.
#include "core/datatype/node.h"

#include <algorithm>
#include <utility>

#include "core/datatype/record.h"

namespace tessera {
namespace {

constexpr std::size_t kSpliceLimit =
    4096;  // lists up to this length are copied into the list they are part of

bool fits(const Dim& inner, Aint stride) noexcept {
  Aint reach = 0;
  return !__builtin_mul_overflow(inner.count, inner.stride, &reach) && reach == stride;
}

Piece from_node(Aint offset, Node node) {
  Piece piece{offset, node.bytes, node.kind, nullptr};
  piece.node = std::make_shared<const Node>(std::move(node));
  return piece;
}

Piece repeat_block(const Piece& piece, Count count, Aint stride) {
  if (stride == piece.bytes) return {piece.offset, piece.bytes * count, piece.kind, nullptr};
  Node grid;
  grid.depth = 1;
  grid.kind = piece.kind;
  grid.block = piece.bytes;
  grid.bytes = piece.bytes * count;
  grid.dims[0] = {count, stride};
  return from_node(piece.offset, std::move(grid));
}

Piece loop_around(const Piece& piece, Count count, Aint stride) {
  Node loop;
  loop.shape = Node::Shape::loop;
  loop.kind = piece.kind;
  loop.bytes = piece.bytes * count;
  loop.dims[0] = {count, stride};
  loop.child = piece.node;
  return from_node(piece.offset, std::move(loop));
}

// The outermost loop of a node, if it is one or has one.
const Dim* outermost(const Node& node) noexcept {
  if (node.shape == Node::Shape::loop) return &node.dims[0];
  return node.shape == Node::Shape::grid ? &node.dims[node.depth - 1U] : nullptr;
}

Piece lengthen(const Piece& piece, Count count) {
  Node longer = *piece.node;
  const std::size_t last = longer.shape == Node::Shape::loop ? 0 : longer.depth - 1U;
  longer.dims[last].count *= count;
  longer.bytes *= count;
  return from_node(piece.offset, std::move(longer));
}

Piece add_dimension(const Piece& piece, Count count, Aint stride) {
  Node grid = *piece.node;
  grid.dims[grid.depth++] = {count, stride};
  grid.bytes *= count;
  return from_node(piece.offset, std::move(grid));
}

bool plain(const Piece& piece) noexcept {
  return piece.node == nullptr;
}

Kind common(Kind a, Kind b) noexcept {
  return a == b ? a : Kind{0};
}

// Puts pieces in a row, lists opened and neighbours merged.
class Row {
 public:
  explicit Row(Merging merging) noexcept : merging_(merging) {}

  void add(Piece piece) {
    if (piece.bytes == 0) return;
    if (piece.node != nullptr && piece.node->shape == Node::Shape::blocks &&
        piece.node->offsets.size() <= kSpliceLimit) {
      open_blocks(piece);
    } else if (piece.node != nullptr && piece.node->shape == Node::Shape::list &&
               piece.node->pieces.size() <= kSpliceLimit) {
      open_list(piece);
    } else {
      append(std::move(piece));
    }
  }
  std::vector<Piece> take() noexcept { return std::move(row_); }

 private:
  void open_blocks(const Piece& piece) {
    const Node& node = *piece.node;
    for (std::size_t i = 0; i < node.offsets.size(); ++i) {
      const Count bytes = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
      append({piece.offset + node.offsets[i], bytes, node.kinds.empty() ? node.kind : node.kinds[i],
              nullptr});
    }
  }
  void open_list(const Piece& piece) {
    for (Piece part : piece.node->pieces) {
      part.offset += piece.offset;
      append(std::move(part));
    }
  }
  void append(Piece piece) {
    if (!row_.empty() && plain(row_.back()) && plain(piece) &&
        row_.back().offset + row_.back().bytes == piece.offset &&
        (merging_ == Merging::any_kind || row_.back().kind == piece.kind)) {
      row_.back().bytes += piece.bytes;
      row_.back().kind = common(row_.back().kind, piece.kind);
    } else {
      row_.push_back(std::move(piece));
    }
  }

  Merging merging_;
  std::vector<Piece> row_;
};

bool same(const Piece& a, const Piece& b) noexcept {
  return a.bytes == b.bytes && a.kind == b.kind && a.node == b.node;
}

// Whether all pieces are the same at a regular step.
bool regular(const std::vector<Piece>& pieces) noexcept {
  const Aint step = pieces[1].offset - pieces[0].offset;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (!same(pieces[i], pieces[0]) || pieces[i].offset - pieces[i - 1].offset != step)
      return false;
  }
  return true;
}

std::vector<Count> starts_of(const std::vector<Piece>& pieces) {
  std::vector<Count> starts(pieces.size() + 1);
  for (std::size_t i = 0; i < pieces.size(); ++i) starts[i + 1] = starts[i] + pieces[i].bytes;
  return starts;
}

Piece as_blocks(const std::vector<Piece>& pieces, Merging merging, Kind kind) {
  Node node;
  node.shape = Node::Shape::blocks;
  node.kind = kind;
  node.starts = starts_of(pieces);
  node.bytes = node.starts.back();
  node.offsets.reserve(pieces.size());
  for (const Piece& piece : pieces) node.offsets.push_back(piece.offset);
  if (merging == Merging::same_kind && kind == 0) {
    for (const Piece& piece : pieces) node.kinds.push_back(piece.kind);
  }
  const auto other = [&](const Piece& piece) { return piece.bytes != pieces[0].bytes; };
  if (std::none_of(pieces.begin(), pieces.end(), other)) {
    node.block = pieces[0].bytes;
    node.starts = {};
  }
  if (merging == Merging::any_kind && pieces.size() <= Record::kMostBlocks)
    node.record = std::make_shared<const Record>(node);
  return from_node(0, std::move(node));
}

Piece as_list(std::vector<Piece> pieces, Kind kind) {
  Node node;
  node.shape = Node::Shape::list;
  node.kind = kind;
  node.starts = starts_of(pieces);
  node.bytes = node.starts.back();
  node.pieces = std::move(pieces);
  return from_node(0, std::move(node));
}

}  // namespace

Piece repeat(const Piece& piece, Count count, Aint stride) {
  if (count == 0 || piece.bytes == 0) return {};
  if (count == 1) return piece;
  if (plain(piece)) return repeat_block(piece, count, stride);
  const Dim* outer = outermost(*piece.node);
  if (outer != nullptr && fits(*outer, stride)) return lengthen(piece, count);
  const bool room =
      piece.node->shape == Node::Shape::grid && piece.node->depth < piece.node->dims.size();
  return room ? add_dimension(piece, count, stride) : loop_around(piece, count, stride);
}

Piece sequence(std::vector<Piece> pieces, Merging merging) {
  Row row(merging);
  for (Piece& piece : pieces) row.add(std::move(piece));
  pieces = row.take();
  if (pieces.empty()) return {};
  if (pieces.size() == 1) return pieces[0];
  if (regular(pieces))
    return repeat(pieces[0], static_cast<Count>(pieces.size()),
                  pieces[1].offset - pieces[0].offset);
  Kind kind = pieces[0].kind;
  for (const Piece& piece : pieces) kind = common(kind, piece.kind);
  if (std::all_of(pieces.begin(), pieces.end(), plain)) return as_blocks(pieces, merging, kind);
  return as_list(std::move(pieces), kind);
}

}  // namespace tessera
