// SPDX-License-Identifier: BSD-3-Clause
// What all reductions on a shared segment have in common: Reduction.
#pragma once

#include "shared_segment.h"
#include "stream.h"
#include "tessera/copy.h"

namespace tessera::coll::sm {

// What is combined, and what has gone wrong so far; the rounds go on then, so that nobody waits for
// ever.
struct Reduction {
  SharedSegment& segment;
  const Op& op;
  const Datatype& type;
  const std::byte* input;
  std::size_t element;  // bytes
  bool in_place;        // the operand lies where the result goes
  Status status;

  Reduction(SharedSegment& where, const Call& call, const void* from) noexcept
      : segment(where),
        op(*call.op),
        type(*call.receive.type),
        input(static_cast<const std::byte*>(from)),
        element(static_cast<std::size_t>(type.size())),
        in_place(from == call.receive.buffer) {}

  std::size_t bytes(Count elements) const noexcept {
    return static_cast<std::size_t>(elements) * element;
  }
  // Elements of each of so many equal chunks of a chunk.
  Count most(int chunks) const noexcept {
    return static_cast<Count>(segment.slot_bytes() / static_cast<std::size_t>(chunks) / element);
  }

  // Elements of each round of what goes one way.
  Count chunk_elements() const noexcept {
    return static_cast<Count>(std::max<std::size_t>(chunk_bytes(segment) / element, 1));
  }

  // Elements in a row, which begin so many bytes after the first.
  struct Part {
    std::size_t start, bytes;
    Count elements;
  };
  Part part(Count first, Count elements) const noexcept {
    return {bytes(first), bytes(elements), elements};
  }

  // Copies a part of this process's operand into its chunk; where it may be read while the result
  // is written.
  const std::byte* stage(Round round, std::size_t start, std::size_t bytes) noexcept {
    std::byte* slot = segment.slot(round, bytes);
    copy_near(slot, input + start, bytes);
    return in_place ? slot : input + start;
  }

  // Combines a part of the others' chunks, each of `size` bytes, and of this process's operand,
  // where `own` is the first element of it.
  [[gnu::always_inline]] void combine(Round round, std::size_t size, const Part& part,
                                      const std::byte* own, void* result) noexcept {
    const auto operand = [&](int rank) {
      return rank == segment.rank() ? own : segment.chunk(round, rank, size) + part.start;
    };
    const int last = segment.size() - 1;
    copy_near(result, operand(last), part.bytes);
    for (int rank = last - 1; rank >= 0; --rank) {
      const Status applied = op.apply(operand(rank), result, part.elements, type);
      if (status.ok()) status = applied;
    }
    segment.seen_all(round);
  }
};

}  // namespace tessera::coll::sm
