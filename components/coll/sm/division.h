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
