// SPDX-License-Identifier: BSD-3-Clause
// What all reductions on a board have in common: Reduction.
#pragma once

#include "board.h"
#include "stream.h"

namespace tessera::coll::sm {

// What is combined, and what has gone wrong so far; the steps go on then, so that nobody waits for
// ever.
struct Reduction {
  Board& board;
  const Op& op;
  const Datatype& type;
  const std::byte* input;
  std::size_t element;  // bytes
  bool in_place;        // the operand lies where the result goes
  Status status;

  Reduction(Board& where, const Call& call, const void* from) noexcept
      : board(where),
        op(*call.op),
        type(*call.receive.type),
        input(static_cast<const std::byte*>(from)),
        element(static_cast<std::size_t>(type.size())),
        in_place(from == call.receive.buffer) {}

  std::size_t bytes(Count elements) const noexcept {
    return static_cast<std::size_t>(elements) * element;
  }
  // Elements of each of so many equal pieces of a package.
  Count most(int pieces) const noexcept {
    return static_cast<Count>(board.capacity() / static_cast<std::size_t>(pieces) / element);
  }

  // Elements of each step of what goes one way.
  Count piece() const noexcept {
    return static_cast<Count>(std::max<std::size_t>(piece_of(board) / element, 1));
  }

  // Copies this process's operand into its package; where it may be read while the result is
  // written.
  const std::byte* stage(Step step, Count first, Count elements) noexcept {
    std::byte* room = board.room(step, bytes(elements));
    std::memcpy(room, input + bytes(first), bytes(elements));
    return in_place ? room : input + bytes(first);
  }

  // Combines elements [first, first + elements) of the others' packages, each of `size` bytes, and
  // of this process's operand, where `own` is the first of them.
  void combine(Step step, std::size_t size, Count first, Count elements, const std::byte* own,
               void* result) noexcept {
    const auto operand = [&](int rank) {
      return rank == board.rank() ? own : board.package(step, rank, size) + bytes(first);
    };
    const int last = board.size() - 1;
    std::memcpy(result, operand(last), bytes(elements));
    for (int rank = last - 1; rank >= 0; --rank) {
      const Status applied = op.apply(operand(rank), result, elements, type);
      if (status.ok()) status = applied;
    }
    board.seen_all(step);
  }
};

}  // namespace tessera::coll::sm
