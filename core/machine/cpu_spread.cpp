// SPDX-License-Identifier: BSD-3-Clause
// Keeps ranks that answer each other off the same CPU.
#include "core/machine/cpu_spread.h"

#include <sched.h>

namespace tessera {

void CpuSpread::look() noexcept {
  const int cpu = sched_getcpu();
  if (cpu < 0) return;
  say(cpu + 1);
  if (!shared_with_lower(cpu + 1)) return;
  move();
  say(sched_getcpu() + 1);
}

// The line is written only when something has changed.
void CpuSpread::say(std::int32_t place) noexcept {
  if (place == said_) return;
  said_ = place;
  view_.page().cpu.store(place, std::memory_order_relaxed);
}

bool CpuSpread::shared_with_lower(std::int32_t place) const noexcept {
  for (std::uint32_t rank = 0; rank < view_.rank(); ++rank) {
    if (view_.segment().page(rank).cpu.load(std::memory_order_relaxed) == place) return true;
  }
  return false;
}

void CpuSpread::move() const noexcept {
  cpu_set_t usable, free;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  free = usable;
  for (std::uint32_t rank = 0; rank < view_.segment().ranks(); ++rank) {
    const std::int32_t place = view_.segment().page(rank).cpu.load(std::memory_order_relaxed);
    if (place != kNowhere && place <= CPU_SETSIZE) CPU_CLR(place - 1, &free);
  }
  if (CPU_COUNT(&free) == 0 || sched_setaffinity(0, sizeof free, &free) != 0) return;
  (void)sched_setaffinity(0, sizeof usable, &usable);
}

}  // namespace tessera
