// SPDX-License-Identifier: BSD-3-Clause
// How the vector of a reduction is found and divided among processes.
#pragma once

#include <algorithm>

#include "tessera/coll.h"

namespace tessera::coll::sm {

inline const void* operand_of(const Call& call) noexcept {
  return call.in_place ? call.receive.buffer : call.send.buffer;
}

// The first element of part `i` when `elements` are shared out among `parts`.
inline Count first_of(Count elements, int parts, int i) noexcept {
  return elements / parts * i + std::min<Count>(elements % parts, i);
}

// Likewise of a reduction whose root alone gets the result: it has 3p - 1 of 3p^2 - 3p + 2 shares,
// the others 3p - 3 each. All are equally busy then where combining is twice as fast as reading and
// as writing, which the root need not do.
inline Count first_towards(int root, Count elements, int parts, int i) noexcept {
  const Count others = 3 * Count{parts} - 3, roots = 3 * Count{parts} - 1;
  const Count all = others * (parts - 1) + roots;
  const Count before = others * i + (i > root ? roots - others : 0);
  return elements / all * before + elements % all * before / all;
}

// How the vector of a reduce_scatter is divided.
struct ResultParts {
  const Call& call;
  Count count(int rank) const noexcept {
    return call.operation == Operation::reduce_scatter ? call.receive.counts[rank]
                                                       : call.receive.count;
  }
  Count start(int rank) const noexcept {
    Count elements = 0;
    for (int i = 0; i < rank; ++i) elements += count(i);
    return elements;
  }
  Count longest() const noexcept {
    Count most = 0;
    for (int rank = 0; rank < call.size; ++rank) most = std::max(most, count(rank));
    return most;
  }
};

}  // namespace tessera::coll::sm
