// SPDX-License-Identifier: BSD-3-Clause
// Receiving a payload while it is being sent.
#include "ring.h"

#include <sched.h>

namespace tessera::btl::sm {

namespace {

// Waits until more than `known` bytes are there; how many. The sender is in the middle of a copy: it is a matter of
// nanoseconds, unless it has lost its processor.
std::size_t more_than(const Slot& slot, std::size_t known) noexcept {
  constexpr int kSpins = 1000;
  for (int spins = 0;; ++spins) {
    const std::size_t written = slot.written().load(std::memory_order_acquire);
    if (written > known) return written;
    if (spins >= kSpins) sched_yield();
  }
}

}  // namespace

void Inbox::follow(const Slot& slot, Sink* sink, std::span<const std::byte> header,
                   std::span<const std::byte> payload) noexcept {
  if (sink == nullptr) return;
  std::byte* place = sink->landing(*from_, header, payload.size());
  std::size_t there = 0;
  while (there < payload.size()) {
    const std::size_t written = more_than(slot, there);
    if (place != nullptr) std::memcpy(place + there, payload.data() + there, written - there);
    there = written;
  }
  if (place == nullptr) return deliver(sink, header, payload);
  ++depth_;
  sink->landed(*from_, header, payload.size());
  --depth_;
}

}  // namespace tessera::btl::sm
