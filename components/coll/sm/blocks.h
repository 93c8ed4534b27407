// SPDX-License-Identifier: BSD-3-Clause
// The blocks of operations whose blocks differ in length, and which of them go over the board.
#pragma once
//
// Contract. MPI demands that the two processes between which a block goes give it the same number
// of bytes; of other blocks a process may know nothing. So each pair decides for itself, from the
// length alone, by limits that are the same everywhere. A short block is shown on the board, at a
// place that follows from length and rank. Of a long one the board shows at such a place where it
// lies: an Offer; the other process copies it from there or to there, and answers whether it could.
// What is in between, or could not be copied, is sent as a message. However long the blocks are,
// such an operation takes the same steps.
//
#include "board.h"
#include "bytes.h"
#include "reach.h"

namespace tessera::coll::sm {

// Where a block lies in the memory of the process that shows this. Address 0: nobody else can copy
// it, it has holes or is overwritten meanwhile.
struct Offer {
  std::uint64_t address;
  std::uint64_t bytes;
};

// Which blocks go which way; the same on all processes.
struct Ways {
  std::size_t shown;                 // bytes of the longest that is shown
  Rule::Range<std::size_t> offered;  // bytes of those that are offered, if they are not shown
  const Reach* reach;                // open; null: none are offered
};

// The only block of a side with one block, and block i of a side with many.
inline Buffer whole(Space space, const Side& side) noexcept {
  return {space, 0, side.count, side.type};
}
inline Buffer block_of(Space space, const Side& side, int i) noexcept {
  if (side.types != nullptr) return {space, side.displacements[i], side.counts[i], side.types[i]};
  if (side.counts)
    return {space, side.displacements[i] * side.type->extent(), side.counts[i], side.type};
  return {space, i * side.count * side.type->extent(), side.count, side.type};
}
inline std::size_t length(const Buffer& block) noexcept {
  return static_cast<std::size_t>(block.bytes());
}
inline std::byte* address_of(const Call& call, const Buffer& block) noexcept {
  const Side& side = block.space == Space::send ? call.send : call.receive;
  return static_cast<std::byte*>(side.buffer) + block.offset;
}
inline Bytes bytes_of(const Call& call, const Buffer& block) noexcept {
  return {address_of(call, block), block.count, *block.type};
}

// Where a package that holds a block for every other process has the block of one of them: short
// ones lie close together.
class Places {
 public:
  explicit Places(const Board& board) noexcept
      : capacity_(board.capacity()), others_(static_cast<std::size_t>(board.size() - 1)) {}

  struct Place {
    std::size_t package;  // bytes of the package that it is part of
    std::size_t offset;
  };
  // Of the block for `rank` in the package of `owner`. 0 < bytes <= longest().
  Place of(std::size_t bytes, int owner, int rank) const noexcept {
    const auto number = static_cast<std::size_t>(rank < owner ? rank : rank - 1);
    if (bytes <= kWord && others_ * kWord <= Board::kInline)
      return {Board::kInline, number * kWord};
    if (bytes <= kWord) return {capacity_, number * kWord};
    if (bytes <= kLine) return {capacity_, words() + number * kLine};
    return {capacity_, words() + others_ * kLine + number * longest()};
  }
  // 0: the communicator is so large that not even short blocks have room.
  std::size_t longest() const noexcept {
    const std::size_t used = words() + others_ * kLine;
    return used < capacity_ ? (capacity_ - used) / others_ / kLine * kLine : 0;
  }

 private:
  static constexpr std::size_t kWord = 8;
  static constexpr std::size_t kLine = 64;
  std::size_t words() const noexcept { return (others_ * kWord + kLine - 1) / kLine * kLine; }

  std::size_t capacity_;
  std::size_t others_;
};

}  // namespace tessera::coll::sm
