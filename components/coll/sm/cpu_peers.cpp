// SPDX-License-Identifier: BSD-3-Clause
// Who shares this process's CPU, and leaving a CPU that has more than its share.
#include "cpu_peers.h"

#include <sched.h>

#include <algorithm>
#include <array>

namespace tessera::coll::sm {

namespace {

constexpr int kCpus = CPU_SETSIZE;

// The usable CPU with the fewest of these processes, or -1.
int emptiest(const cpu_set_t& usable, const std::array<std::uint16_t, kCpus>& shares) noexcept {
  int best = -1;
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    if (!CPU_ISSET(cpu, &usable)) continue;
    if (best < 0 || shares[static_cast<std::size_t>(cpu)] < shares[static_cast<std::size_t>(best)])
      best = cpu;
  }
  return best;
}

}  // namespace

// The state is written to only when something has changed; who looks where the others are does so
// now and then.
void CpuPeers::wait_in(Round round) noexcept {
  RankState& mine = states_.of(rank_);
  const std::int32_t cpu = sched_getcpu() + 1;
  if (cpu != cpu_) [[unlikely]]
    mine.cpu.store(cpu, std::memory_order_relaxed);
  mine.waits.store(round, std::memory_order_relaxed);
  if (cpu == cpu_ && waits_to_look_-- != 0) [[likely]]
    return;
  cpu_ = cpu;
  waits_to_look_ = kWaitsPerLook;
  look(cpu);
}

void CpuPeers::look(std::int32_t cpu) noexcept {
  same_cpu_ = 0;
  for (int rank = 0; rank < std::min(states_.processes, kMost); ++rank) {
    if (rank != rank_ && states_.of(rank).cpu.load(std::memory_order_relaxed) == cpu)
      same_cpu_ |= std::uint64_t{1} << rank;
  }
  if (looks_to_move_ > 0) --looks_to_move_;
  const bool known = cpu > 0 && cpu <= kCpus;
  const bool last = same_cpu_ != 0 && static_cast<int>(std::bit_width(same_cpu_)) <= rank_;
  if (even_ && known && last && looks_to_move_ == 0) even_out(cpu);
}

// Moves are rare, and become rarer, so that a scheduler that knows better has its way.
void CpuPeers::even_out(std::int32_t cpu) noexcept {
  std::array<std::uint16_t, kCpus> shares{};
  for (int rank = 0; rank < states_.processes; ++rank) {
    const std::int32_t place = states_.of(rank).cpu.load(std::memory_order_relaxed);
    if (place > 0 && place <= kCpus) ++shares[static_cast<std::size_t>(place - 1)];
  }
  cpu_set_t usable, target;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  const int to = emptiest(usable, shares);
  if (to < 0 ||
      shares[static_cast<std::size_t>(to)] + 1 >= shares[static_cast<std::size_t>(cpu - 1)])
    return;
  looks_to_move_ = rest_;
  rest_ = std::min(2 * rest_, std::uint32_t{1} << 26);
  CPU_ZERO(&target);
  CPU_SET(to, &target);
  if (sched_setaffinity(0, sizeof target, &target) == 0)
    static_cast<void>(sched_setaffinity(0, sizeof usable, &usable));
}

}  // namespace tessera::coll::sm
