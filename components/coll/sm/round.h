// SPDX-License-Identifier: BSD-3-Clause
// Going through the other processes: for_others(), place_among_others(); a round in which each
// shows all others something small: exchange_all().
#pragma once

#include <type_traits>

#include "shared_segment.h"

namespace tessera::coll::sm {

// The other processes, each starting with the one after itself, so that not all read the same one.
template <class Body>
void for_others(const SharedSegment& segment, Body body) noexcept {
  int rank = segment.rank();
  for (int i = 1; i < segment.size(); ++i) {
    if (++rank == segment.size()) rank = 0;
    body(rank);
  }
}

// Where what `owner` has for `rank` comes, if it has something for each of the others, in their
// order.
inline std::size_t place_among_others(int owner, int rank) noexcept {
  return static_cast<std::size_t>(rank < owner ? rank : rank - 1);
}

// see(rank, what that process shows) for all others. When this returns, all have shown.
template <class T, class See>
void exchange_all(SharedSegment& segment, const T& mine, See see) noexcept {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= SharedSegment::kInline);
  const Round round = segment.enter();
  std::memcpy(segment.slot(round, sizeof mine), &mine, sizeof mine);
  segment.publish(round);
  for_others(segment, [&](int rank) {
    T theirs;
    std::memcpy(&theirs, segment.chunk(round, rank, sizeof theirs), sizeof theirs);
    see(rank, theirs);
  });
  segment.seen_all(round);
  segment.leave(round);
}

}  // namespace tessera::coll::sm
