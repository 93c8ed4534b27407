// SPDX-License-Identifier: BSD-3-Clause
// Where the part of one rank or neighbour lies in the data of a call.
#include "blocks.h"

namespace tessera::coll::basic {

Buffer block(const Call& call, Space space, int i) noexcept {
  const Side& side = space == Space::send ? call.send : call.receive;
  if (!side.counts) return {space, i * side.count * side.type->extent(), side.count, side.type};
  if (side.types != nullptr) return {space, side.displacements[i], side.counts[i], side.types[i]};
  return {space, side.displacements[i] * side.type->extent(), side.counts[i], side.type};
}

StepId join(Schedule& schedule, std::initializer_list<StepId> after) noexcept {
  return schedule.copy({}, {}, after);
}

}  // namespace tessera::coll::basic
