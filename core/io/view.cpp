// SPDX-License-Identifier: BSD-3-Clause
// Views: what they may be made of, and where the bytes of their stream lie.
#include "core/io/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/io/layout_order.h"

namespace tessera::io {
namespace {

constexpr Count kManyTurns = std::numeric_limits<Count>::max() / 4;

// A byte of a tile, on the way from the whole layout down to its block, and how often that block
// is repeated from there on.
struct Place {
  Offset at;
  Count byte;
  Count block;
  Offset stride = 0;
  Count turns = 1;
};

void enter_grid(const Node& node, Place& place) noexcept {
  Count inner = node.bytes;
  for (unsigned d = node.depth; d-- > 0;) {
    inner /= node.dims[d].count;
    const Count turn = place.byte / inner;
    place.at += turn * node.dims[d].stride;
    place.byte %= inner;
    place.turns = node.dims[d].count - turn;
  }
  place.stride = node.dims[0].stride;
  place.block = node.block;
}

void enter_blocks(const Node& node, Place& place) noexcept {
  const std::size_t i = entry_of(node, place.byte);
  place.at += node.offsets[i];
  place.block = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
  place.byte -= node.block != 0 ? static_cast<Count>(i) * node.block : node.starts[i];
}

// One level down; null at a block.
const Node* enter(const Node& node, Place& place) noexcept {
  switch (node.shape) {
    case Node::Shape::grid:
      enter_grid(node, place);
      return nullptr;
    case Node::Shape::blocks:
      enter_blocks(node, place);
      return nullptr;
    case Node::Shape::list: {
      const std::size_t i = entry_of(node, place.byte);
      place.at += node.pieces[i].offset;
      place.byte -= node.starts[i];
      place.block = node.pieces[i].bytes;
      return node.pieces[i].node.get();
    }
    case Node::Shape::loop: {
      const Count turn = place.byte / node.child->bytes;
      place.at += turn * node.dims[0].stride;
      place.byte -= turn * node.child->bytes;
      return node.child.get();
    }
  }
  return nullptr;
}

Place find(const Piece& piece, Count byte) noexcept {
  Place place{piece.offset, byte, piece.bytes};
  for (const Node* node = piece.node.get(); node != nullptr;) node = enter(*node, place);
  return place;
}

Status bad_view(std::string text) noexcept {
  return Status::failure(Errc::argument, text);
}

}  // namespace

Status View::check(const TypeObject& etype, const TypeObject& filetype, bool writing) noexcept {
  if (etype.size() == 0)
    return bad_view("argument `etype` has no data, so that offsets would have no unit");
  if (filetype.size() % etype.size() != 0) {
    return bad_view(
        fmt::format("argument `filetype` has {} bytes of data, which is no multiple of "
                    "the {} bytes of `etype`",
                    filetype.size(), etype.size()));
  }
  if (filetype.size() == 0) return {};
  const LayoutOrder one = order_of(filetype.layout());
  if (one.first < 0) {
    return bad_view(
        fmt::format("argument `filetype` has data at displacement {}; none may be "
                    "negative",
                    one.first));
  }
  if (!one.ascending)
    return bad_view("the displacements of argument `filetype` go back; they must not decrease");
  const LayoutOrder unit = order_of(etype.layout());
  if (writing && (!one.disjoint || !unit.disjoint)) {
    return bad_view(
        fmt::format("argument `{}` has data that overlap; in a file that can be written "
                    "no byte may be seen twice",
                    one.disjoint ? "etype" : "filetype"));
  }
  return {};
}

View::View(Offset displacement, const TypeObject& etype, const TypeObject& filetype) noexcept
    : filetype_(filetype),
      displacement_(displacement),
      etype_size_(etype.size()),
      tile_size_(filetype.size()),
      tile_extent_(filetype.extent()),
      contiguous_(filetype.contiguous()) {
  if (tile_size_ == 0) return;
  const LayoutOrder order = order_of(filetype.layout());
  tile_pieces_ = std::max<Count>(order.pieces, 1);
  disjoint_ = order.disjoint;
  tiles_apart_ = repeated(order, 2, tile_extent_).disjoint;
}

Offset View::pieces(Offset bytes) const noexcept {
  if (bytes == 0 || tile_size_ == 0) return 0;
  if (contiguous_) return 1;
  const double tiles = static_cast<double>(bytes) / static_cast<double>(tile_size_);
  return std::max<Offset>(1, static_cast<Offset>(tiles * static_cast<double>(tile_pieces_)));
}

Strip View::strip(Offset position) const noexcept {
  if (contiguous_)
    return {displacement_ + position, std::numeric_limits<Offset>::max() - position, 0, 1};
  const Offset tile = position / tile_size_;
  const Piece& layout = filetype_->layout();
  const Place place = find(layout, position - tile * tile_size_);
  const Offset at = displacement_ + tile * tile_extent_ + place.at + place.byte;
  if (place.byte != 0) return {at, place.block - place.byte, 0, 1};
  if (layout.node == nullptr) return {at, place.block, tile_extent_, kManyTurns};
  return {at, place.block, place.stride, place.turns};
}

Offset View::offset_of(Offset position) const noexcept {
  if (contiguous_) return displacement_ + position;
  if (tile_size_ == 0) return displacement_;
  const Offset tile = position / tile_size_;
  const Place place = find(filetype_->layout(), position - tile * tile_size_);
  return displacement_ + tile * tile_extent_ + place.at + place.byte;
}

// A row of tiles in memory, as a program's data may lie there.
void View::copy_out(Offset position, Offset bytes, const std::byte* first,
                    std::byte* out) const noexcept {
  const Offset tile = position / tile_size_, within = position - tile * tile_size_;
  const Offset before = offset_of(position) - displacement_ - tile * tile_extent_;
  const Count tiles = (within + bytes + tile_size_ - 1) / tile_size_;
  PackCursor cursor(*filetype_, shift(const_cast<std::byte*>(first), -before), tiles);
  cursor.seek(static_cast<std::size_t>(within));
  cursor.pack(out, static_cast<std::size_t>(bytes));
}

Range View::hull(Offset position, Offset bytes) const noexcept {
  const Offset last = position + bytes - 1;
  if (contiguous_ || ascending(position, bytes)) return {offset_of(position), offset_of(last) + 1};
  const Offset from = displacement_ + filetype_->true_lb();
  const Offset one = position / tile_size_ * tile_extent_, other = last / tile_size_ * tile_extent_;
  return {from + std::min(one, other), from + std::max(one, other) + filetype_->true_extent()};
}

// The first byte of a tile that lies at `offset` or behind it; offsets ascend.
Offset View::position_in_tile(Offset offset) const noexcept {
  Offset low = 0, high = tile_size_;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    const Place place = find(filetype_->layout(), middle);
    if (place.at + place.byte >= offset) {
      high = middle;
    } else {
      // Straight on to the end of the block, or to the byte in it.
      low = std::min(middle + std::min(place.block - place.byte, offset - place.at - place.byte),
                     high);
    }
  }
  return low;
}

Offset View::position_at(Offset offset) const noexcept {
  const Offset from = offset - displacement_;
  if (from <= 0 || tile_size_ == 0) return 0;
  if (contiguous_) return from;
  const Offset end = filetype_->true_lb() + filetype_->true_extent();
  if (!tiles_apart_ && from >= end) return tile_size_;
  const Offset tile = from < end ? 0 : (from - end) / tile_extent_ + 1;
  return tile * tile_size_ + position_in_tile(from - tile * tile_extent_);
}

}  // namespace tessera::io
