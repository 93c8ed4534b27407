// SPDX-License-Identifier: BSD-3-Clause
// Comparing the logs of two processes.
#include "call_log.h"

#include <algorithm>

namespace tessera::coll::sm {

void CallLog::copy(const CallLog& other) noexcept {
  for (std::size_t i = 0; i < kKept; ++i)
    calls_[i].store(other.calls_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
  count_.store(other.count_.load(std::memory_order_relaxed), std::memory_order_release);
}

std::optional<CallLog::Difference> CallLog::compare(const CallLog& theirs) const noexcept {
  const std::uint64_t end = std::min(count_.load(std::memory_order_relaxed),
                                     theirs.count_.load(std::memory_order_acquire));
  for (std::uint64_t i = std::max(first(), theirs.first()); i < end; ++i) {
    const Difference both{theirs.calls_[i % kKept].load(std::memory_order_relaxed),
                          calls_[i % kKept].load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (i >= theirs.first() && both.theirs != both.mine) return both;
  }
  return {};
}

}  // namespace tessera::coll::sm
