// SPDX-License-Identifier: BSD-3-Clause
// In which order the bytes of a datatype lie.
#include "core/io/layout_order.h"

#include <algorithm>

namespace tessera::io {
namespace {

LayoutOrder block(Aint offset, Count bytes) noexcept {
  return {offset, offset, offset + bytes, 1, true, true};
}

LayoutOrder followed_by(const LayoutOrder& a, const LayoutOrder& b) noexcept {
  if (a.pieces == 0) return b;
  return {a.first,
          b.last,
          std::max(a.end, b.end),
          a.pieces + b.pieces,
          a.ascending && b.ascending && b.first >= a.last,
          a.disjoint && b.disjoint && b.first >= a.end};
}

LayoutOrder moved(LayoutOrder order, Aint offset) noexcept {
  order.first += offset;
  order.last += offset;
  order.end += offset;
  return order;
}

LayoutOrder order_of_blocks(const Node& node) noexcept {
  LayoutOrder order;
  for (std::size_t i = 0; i < node.offsets.size(); ++i) {
    const Count bytes = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
    order = followed_by(order, block(node.offsets[i], bytes));
  }
  return order;
}

LayoutOrder order_of(const Node& node) noexcept {
  LayoutOrder order;
  switch (node.shape) {
    case Node::Shape::grid:
      order = block(0, node.block);
      for (unsigned d = 0; d < node.depth; ++d)
        order = repeated(order, node.dims[d].count, node.dims[d].stride);
      return order;
    case Node::Shape::blocks:
      return order_of_blocks(node);
    case Node::Shape::list:
      for (const Piece& piece : node.pieces) order = followed_by(order, io::order_of(piece));
      return order;
    case Node::Shape::loop:
      return repeated(order_of(*node.child), node.dims[0].count, node.dims[0].stride);
  }
  return order;
}

}  // namespace

LayoutOrder repeated(LayoutOrder order, Count count, Aint stride) noexcept {
  if (count <= 1) return order;
  order.ascending = order.ascending && order.first + stride >= order.last;
  order.disjoint = order.disjoint && order.first + stride >= order.end;
  const Aint way = (count - 1) * stride;
  order.last += way;
  order.end += std::max<Aint>(way, 0);
  order.pieces *= count;
  return order;
}

LayoutOrder order_of(const Piece& piece) noexcept {
  if (piece.bytes == 0) return {};
  return piece.node == nullptr ? block(piece.offset, piece.bytes)
                               : moved(order_of(*piece.node), piece.offset);
}

}  // namespace tessera::io
