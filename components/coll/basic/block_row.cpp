// SPDX-License-Identifier: BSD-3-Clause
// The blocks of an allgather(v) in the order of ranks, one behind the other.
#include "block_row.h"

namespace tessera::coll::basic {

BlockRow::BlockRow(const Call& call, Schedule& schedule)
    : call_(call),
      schedule_(schedule),
      direct_(ordered()),
      begin_(static_cast<std::size_t>(call.size) + 1) {
  for (int i = 0; i < call.size; ++i) {
    const Buffer each = block(call, Space::receive, i);
    begin_[static_cast<std::size_t>(i) + 1] = begin(i) + (direct_ ? each.count : each.bytes());
  }
  row_ = direct_ ? block(call, Space::receive, 0) : schedule.scratch(begin_.back(), nullptr);
  row_.count = begin_.back();
}

bool BlockRow::ordered() const noexcept {
  const Side& side = call_.receive;
  for (int i = 0; side.counts && i + 1 < call_.size; ++i) {
    if (side.displacements[i] + side.counts[i] != side.displacements[i + 1]) return false;
  }
  return true;
}

StepId BlockRow::own() noexcept {
  if (direct_ && call_.in_place) return kNoStep;
  return schedule_.copy(own_block(call_), of(call_.rank, call_.rank + 1));
}

void BlockRow::finish(StepId complete) noexcept {
  if (direct_) return;
  for (int i = 0; i < call_.size; ++i) {
    const Buffer target = block(call_, Space::receive, i);
    if (i == call_.rank && call_.in_place) continue;
    if (target.bytes() > 0) schedule_.copy(of(i, i + 1), target, {complete});
  }
}

}  // namespace tessera::coll::basic
