// SPDX-License-Identifier: BSD-3-Clause
// What all reductions on a board have in common: Reduction.
#pragma once

#include "board.h"
#include "bytes.h"

namespace tessera::coll::sm {

// What is combined, and what has gone wrong so far; the steps go on then, so that nobody waits for ever.
struct Reduction {
  Board& board;
  const Op& op;
  const Datatype& type;
  const std::byte* input;
  std::size_t element;  // bytes
  Status status;

  Reduction(Board& where, const Call& call, const void* from) noexcept
      : board(where),
        op(*call.op),
        type(*call.receive.type),
        input(static_cast<const std::byte*>(from)),
        element(static_cast<std::size_t>(type.size())) {}

  std::size_t bytes(Count elements) const noexcept { return static_cast<std::size_t>(elements) * element; }
  // Elements of each of so many equal pieces of a package.
  Count most(int pieces) const noexcept {
    return static_cast<Count>(board.capacity() / static_cast<std::size_t>(pieces) / element);
  }

  void publish(Step step, Count first, Count elements) noexcept {
    std::memcpy(board.room(step, bytes(elements)), input + bytes(first), bytes(elements));
    board.publish(step);
  }

  // Combines elements [first, first + elements) of all packages, each of `size` bytes.
  void combine(Step step, std::size_t size, Count first, Count elements, void* result) noexcept {
    const int last = board.size() - 1;
    std::memcpy(result, board.package(step, last, size) + bytes(first), bytes(elements));
    for (int rank = last - 1; rank >= 0; --rank) {
      const std::byte* operand = board.package(step, rank, size) + bytes(first);
      const Status applied = op.apply(operand, result, elements, type);
      if (status.ok()) status = applied;
    }
    board.seen_all(step);
  }
};

}  // namespace tessera::coll::sm
