// SPDX-License-Identifier: BSD-3-Clause
// Going through the other processes: for_others(); a step in which each shows all others something
// small: show_all().
#pragma once

#include <type_traits>

#include "board.h"

namespace tessera::coll::sm {

// The other processes, each starting with the one after itself, so that not all read the same one.
template <class Body>
void for_others(const Board& board, Body body) noexcept {
  for (int i = 1; i < board.size(); ++i) body((board.rank() + i) % board.size());
}

// see(rank, what that process shows) for all others. When this returns, all have shown.
template <class T, class See>
void show_all(Board& board, const T& mine, See see) noexcept {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= Board::kInline);
  const Step step = board.enter();
  std::memcpy(board.room(step, sizeof mine), &mine, sizeof mine);
  board.publish(step);
  for_others(board, [&](int rank) {
    T theirs;
    std::memcpy(&theirs, board.package(step, rank, sizeof theirs), sizeof theirs);
    see(rank, theirs);
  });
  board.seen_all(step);
  board.leave(step);
}

}  // namespace tessera::coll::sm
