// SPDX-License-Identifier: BSD-3-Clause
// Data that goes one way over the board: give(), take().
#pragma once

#include "board.h"
#include "bytes.h"
#include "plan.h"

namespace tessera::coll::sm {

// Bytes that one step has of data that goes one way.
inline std::size_t piece_of(const Board& board) noexcept {
  return one_way_chunk(board.in_turns(), board.capacity());
}

// Shows all of `data`, which others take().
inline void give(Board& board, const Bytes& data) noexcept {
  in_pieces(data.total(), piece_of(board), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    data.read(position, board.room(step, bytes), bytes);
    board.publish(step);
    board.leave(step);
  });
}

// Fills `data` with what process `from` gives: as many bytes.
inline void take(Board& board, int from, const Bytes& data) noexcept {
  in_pieces(data.total(), piece_of(board), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    data.write(position, board.package(step, from, bytes), bytes);
    board.leave(step);
  });
}

}  // namespace tessera::coll::sm
