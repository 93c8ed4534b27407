// SPDX-License-Identifier: BSD-3-Clause
// Taking and releasing locks.
#include "locks.h"

#include <sched.h>

namespace tessera::osc::sm {
namespace {

constexpr std::uint32_t kExclusive = 1u << 31;
constexpr std::uint64_t kOneExclusive = 1ull << 32;
constexpr std::uint64_t kAllMask = kOneExclusive - 1;
// Measured: docs/decisions/0065.
constexpr int kSpinsForStripe = 200;

}  // namespace

bool Locks::try_exclusive(int rank) noexcept {
  Head& head = control_.head();
  std::uint64_t holders = head.holders.load(std::memory_order_relaxed);
  do {
    if ((holders & kAllMask) != 0) return false;
  } while (!head.holders.compare_exchange_weak(
      holders, holders + kOneExclusive, std::memory_order_acquire, std::memory_order_relaxed));
  std::uint32_t free = 0;
  if (control_.slot(rank).lock.compare_exchange_strong(free, kExclusive, std::memory_order_acquire,
                                                       std::memory_order_relaxed))
    return true;
  head.holders.fetch_sub(kOneExclusive, std::memory_order_release);
  control_.changed();
  return false;
}

Status Locks::exclusive(int rank) noexcept {
  const bool others_first = control_.head().all_waiting.load(std::memory_order_relaxed) != 0;
  return !others_first && try_exclusive(rank) ? Status() : await_exclusive(rank);
}

Status Locks::await_exclusive(int rank) noexcept {
  Slot& slot = control_.slot(rank);
  slot.writers.fetch_add(1, std::memory_order_relaxed);
  control_.let_go_first(
      [&] { return control_.head().all_waiting.load(std::memory_order_relaxed) != 0; });
  const auto taken = [&] {
    const bool may_succeed =
        slot.lock.load(std::memory_order_relaxed) == 0 &&
        (control_.head().holders.load(std::memory_order_relaxed) & kAllMask) == 0;
    return may_succeed && try_exclusive(rank);
  };
  const Status waited = control_.wait(taken, Waiting::What::exclusive_lock, rank);
  slot.writers.fetch_sub(1, std::memory_order_relaxed);
  return waited;
}

bool Locks::try_shared(int rank) noexcept {
  Slot& slot = control_.slot(rank);
  std::uint32_t readers = slot.lock.load(std::memory_order_relaxed);
  while ((readers & kExclusive) == 0) {
    if (slot.lock.compare_exchange_weak(readers, readers + 1, std::memory_order_acquire,
                                        std::memory_order_relaxed))
      return true;
  }
  return false;
}

Status Locks::shared(int rank) noexcept {
  const bool others_first = control_.slot(rank).writers.load(std::memory_order_relaxed) != 0;
  return !others_first && try_shared(rank) ? Status() : await_shared(rank);
}

Status Locks::await_shared(int rank) noexcept {
  control_.let_go_first(
      [&] { return control_.slot(rank).writers.load(std::memory_order_relaxed) != 0; });
  return control_.wait([&] { return try_shared(rank); }, Waiting::What::shared_lock, rank);
}

bool Locks::try_all() noexcept {
  std::atomic<std::uint64_t>& holders = control_.head().holders;
  std::uint64_t now = holders.load(std::memory_order_relaxed);
  while ((now & ~kAllMask) == 0) {
    if (holders.compare_exchange_weak(now, now + 1, std::memory_order_acquire,
                                      std::memory_order_relaxed))
      return true;
  }
  return false;
}

Status Locks::all() noexcept {
  if (try_all()) return {};
  control_.head().all_waiting.fetch_add(1, std::memory_order_relaxed);
  const Status waited = control_.wait([&] { return try_all(); }, Waiting::What::shared_lock);
  control_.head().all_waiting.fetch_sub(1, std::memory_order_relaxed);
  return waited;
}

void Locks::release_exclusive(int rank) noexcept {
  control_.slot(rank).lock.store(0, std::memory_order_release);
  control_.head().holders.fetch_sub(kOneExclusive, std::memory_order_release);
  control_.changed();
}

void Locks::release_shared(int rank) noexcept {
  control_.slot(rank).lock.fetch_sub(1, std::memory_order_release);
  control_.changed();
}

void Locks::release_all() noexcept {
  control_.head().holders.fetch_sub(1, std::memory_order_release);
  control_.changed();
}

StripeLock::StripeLock(Control& control, std::atomic<std::uint32_t>& word, int me) noexcept
    : word_(word) {
  const auto mine = static_cast<std::uint32_t>(me) + 1;
  for (int spins = 0;; ++spins) {
    std::uint32_t free = 0;
    if (word.load(std::memory_order_relaxed) == 0 &&
        word.compare_exchange_weak(free, mine, std::memory_order_acquire,
                                   std::memory_order_relaxed))
      return;
    if (spins < kSpinsForStripe) {
      cpu_relax();
    } else if (control.lost()) {
      return;  // its holder may be the one that died; the window is of no use any more
    } else {
      sched_yield();
    }
  }
}

}  // namespace tessera::osc::sm
