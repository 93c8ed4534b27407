// SPDX-License-Identifier: BSD-3-Clause
// PackCursor: the position in the data is all its state; the walker finds the place again.
#include <algorithm>

#include "core/datatype/mover.h"
#include "core/datatype/type_object.h"
#include "core/datatype/walker.h"
#include "tessera/copy.h"

namespace tessera {
namespace {

template <Direction direction>
void move(const TypeObject& type, std::byte* data, Count count, std::byte* stream, std::size_t from,
          std::size_t n) noexcept {
  ByteMover<direction> mover(stream);
  const Count start = static_cast<Count>(from);
  Walker(mover).range(type.layout(), data, count, type.extent(), start,
                      start + static_cast<Count>(n));
}

// A byte of the data, on the way from the whole layout down to the block it lies in.
struct Place {
  std::byte* at;
  Count byte;   // counted from `at` in data
  Count block;  // bytes of the block, once there
};

void enter_grid(const Node& node, Place& place) noexcept {
  Count inner = node.bytes;
  for (unsigned d = node.depth; d-- > 0;) {
    inner /= node.dims[d].count;
    place.at = shift(place.at, place.byte / inner * node.dims[d].stride);
    place.byte %= inner;
  }
  place.block = node.block;
}

void enter_blocks(const Node& node, Place& place) noexcept {
  const std::size_t i = entry_of(node, place.byte);
  place.at = shift(place.at, node.offsets[i]);
  place.block = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
  place.byte -= node.block != 0 ? static_cast<Count>(i) * node.block : node.starts[i];
}

const Node* enter_list(const Node& node, Place& place) noexcept {
  const std::size_t i = entry_of(node, place.byte);
  const Piece& piece = node.pieces[i];
  place.at = shift(place.at, piece.offset);
  place.byte -= node.starts[i];
  place.block = piece.bytes;
  return piece.node.get();
}

const Node* enter_loop(const Node& node, Place& place) noexcept {
  const Count turn = place.byte / node.child->bytes;
  place.at = shift(place.at, turn * node.dims[0].stride);
  place.byte -= turn * node.child->bytes;
  return node.child.get();
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
    case Node::Shape::list:
      return enter_list(node, place);
    case Node::Shape::loop:
      return enter_loop(node, place);
  }
  return nullptr;
}

// Where a byte of a piece lies, and how many follow it in memory.
std::span<std::byte> locate(const Piece& piece, std::byte* base, Count byte) noexcept {
  Place place{shift(base, piece.offset), byte, piece.bytes};
  for (const Node* node = piece.node.get(); node != nullptr;) node = enter(*node, place);
  return {shift(place.at, place.byte), static_cast<std::size_t>(place.block - place.byte)};
}

}  // namespace

PackCursor::PackCursor(const Datatype& type, const void* buffer, Count count) noexcept
    : type_(&type),
      buffer_(static_cast<std::byte*>(const_cast<void*>(buffer))),
      count_(count),
      total_(static_cast<std::size_t>(count * type.size())) {}

std::size_t PackCursor::pack(void* out, std::size_t bytes) noexcept {
  const std::size_t n = std::min(bytes, remaining());
  if (n == 0) return 0;
  if (type_->contiguous()) {
    copy_near(out, buffer_ + position_, n);
  } else {
    move<Direction::pack>(as_object(*type_), buffer_, count_, static_cast<std::byte*>(out),
                          position_, n);
  }
  position_ += n;
  return n;
}

std::size_t PackCursor::unpack(const void* in, std::size_t bytes) noexcept {
  const std::size_t n = std::min(bytes, remaining());
  if (n == 0) return 0;
  if (type_->contiguous()) {
    copy_near(buffer_ + position_, in, n);
  } else {
    std::byte* stream = static_cast<std::byte*>(const_cast<void*>(in));
    move<Direction::unpack>(as_object(*type_), buffer_, count_, stream, position_, n);
  }
  position_ += n;
  return n;
}

std::span<std::byte> PackCursor::run() const noexcept {
  if (remaining() == 0) return {};
  if (type_->contiguous()) return {buffer_ + position_, remaining()};
  const Count position = static_cast<Count>(position_);
  const Count turn = position / type_->size();
  return locate(as_object(*type_).layout(), shift(buffer_, turn * type_->extent()),
                position % type_->size());
}

void PackCursor::seek(std::size_t position) noexcept {
  position_ = position;
}

}  // namespace tessera
