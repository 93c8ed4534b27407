// SPDX-License-Identifier: BSD-3-Clause
// In which order the bytes of a datatype lie: what views demand of a filetype.
#pragma once

#include "core/datatype/node.h"

namespace tessera::io {

// Of a layout, in the order of the type map, displacements being those of its blocks.
struct LayoutOrder {
  Aint first = 0;  // displacement of the first block
  Aint last = 0;   // of the last block
  Aint end = 0;    // behind the last byte
  Count pieces = 0;
  bool ascending = true;  // no block begins before the one that precedes it
  bool disjoint = true;   // none begins before that one's end
};

// Costs what the description of the layout costs.
LayoutOrder order_of(const Piece& piece) noexcept;
// The same `count` times, `stride` bytes apart.
LayoutOrder repeated(LayoutOrder order, Count count, Aint stride) noexcept;

}  // namespace tessera::io
