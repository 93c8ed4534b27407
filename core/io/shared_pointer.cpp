// SPDX-License-Identifier: BSD-3-Clause
// Shared file pointers.
#include "core/io/shared_pointer.h"

namespace tessera::io {

PointerSlots::PointerSlots(const Job& job) noexcept {
  if (job.size() == 1) return;
  auto region = job.shared("io.pointers", kSlots * sizeof(Slot));
  if (!region.ok() || !region->commit(0, kSlots * sizeof(Slot))) return;
  slots_ = reinterpret_cast<Slot*>(region->base());
}

int PointerSlots::reserve() noexcept {
  for (int i = 0; slots_ != nullptr && i < kSlots; ++i) {
    std::uint32_t free = 0;
    if (slots_[i].used.load(std::memory_order_relaxed) != 0) continue;
    if (!slots_[i].used.compare_exchange_strong(free, 1)) continue;
    slots_[i].position.store(0);
    return i;
  }
  return -1;
}

void PointerSlots::give_back(int slot) noexcept {
  if (slot >= 0) slots_[slot].used.store(0);
}

}  // namespace tessera::io
