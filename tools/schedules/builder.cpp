// SPDX-License-Identifier: BSD-3-Clause
// Building the data and the expectation of one process.
#include "tools/schedules/builder.h"

#include <algorithm>

namespace tessera::coll::schedules {

int token(int origin, int destination, Count i) {
  // Unequal for all ranks up to 1,024 and the first 2,000 of each message.
  return static_cast<int>(
      (static_cast<unsigned>(origin) * 1031u + static_cast<unsigned>(destination)) * 2027u +
      static_cast<unsigned>(i));
}

std::vector<int> tokens(int origin, int destination, Count count) {
  std::vector<int> values;
  for (Count i = 0; i < count; ++i) values.push_back(token(origin, destination, i));
  return values;
}

Layout layout_of(std::vector<Count> counts) {
  Layout layout{std::move(counts), {}, {}, 0};
  layout.displacements.resize(layout.counts.size());
  for (std::size_t i = layout.counts.size(); i-- > 0;) {
    layout.displacements[i] = layout.elements;
    layout.elements += layout.counts[i] + 1;
  }
  return layout;
}

void make_typed(Layout& layout, int salt, bool sparse) {
  layout.elements = 0;
  for (std::size_t i = 0; i < layout.counts.size(); ++i) {
    layout.types.push_back(sparse && (static_cast<int>(i) + salt) % 2 != 0 ? &sparse_int()
                                                                           : &dense_int());
    layout.displacements[i] = layout.elements;
    layout.elements += layout.counts[i] * layout.types[i]->extent() + 3;
  }
}

Count varied(int a, int b, Count count) {
  return count == 0 ? 0 : (a * 3 + b * 5 + count) % 4;
}

Buffer block_of(const Side& side, Space space, int i) {
  if (!side.counts) return {space, i * side.count * side.type->extent(), side.count, side.type};
  if (side.types != nullptr) return {space, side.displacements[i], side.counts[i], side.types[i]};
  return {space, side.displacements[i] * side.type->extent(), side.counts[i], side.type};
}

Process blank(const Shape& shape, int number, const Op* op) {
  Process process;
  Call& call = process.call;
  const bool second = number >= shape.size;
  call.operation = shape.operation;
  call.inter = shape.remote_size > 0;
  call.rank = second ? number - shape.size : number;
  call.size = second ? shape.remote_size : shape.size;
  call.remote_size = !call.inter ? shape.size : second ? shape.size : shape.remote_size;
  call.root = shape.root;
  if (call.inter && !second) call.root = call.rank == shape.root ? kRoot : kProcNull;
  call.op = op;
  // Room for both sides, so that the arrays stay where they are.
  const auto blocks = static_cast<std::size_t>(std::max(64, shape.size + shape.remote_size));
  process.numbers.reserve(4 * blocks);
  process.wide_numbers.reserve(4 * blocks);
  process.types.reserve(2 * blocks);
  return process;
}

}  // namespace tessera::coll::schedules
