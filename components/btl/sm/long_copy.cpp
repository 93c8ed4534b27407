// SPDX-License-Identifier: BSD-3-Clause
// Trials between two ways to copy a long payload.
#include "long_copy.h"

#include <atomic>
#include <utility>

#include "copy.h"
#include "tessera/clock.h"
#include "tessera/copy.h"

namespace tessera::btl::sm {

void LongCopy::Sample::add(std::uint64_t more_bytes, std::uint64_t more_ns) noexcept {
  if (more_ns * slowest_bytes > slowest_ns * more_bytes) {
    std::swap(more_ns, slowest_ns);
    std::swap(more_bytes, slowest_bytes);
    if (more_ns == 0) return;  // the first one
  }
  ns += more_ns;
  bytes += more_bytes;
}

void LongCopy::took(std::size_t bytes, std::uint64_t ns) noexcept {
  samples_[turn_ % 2].add(bytes, ns);
  if (++turn_ < 2 * kTurns) return;
  const Sample& used = samples_[static_cast<std::size_t>(way_)];
  const Sample& other = samples_[1 - static_cast<std::size_t>(way_)];
  if (other.ns * used.bytes * 10 < used.ns * other.bytes * 9)
    way_ = way_ == Way::lines ? Way::string : Way::lines;
  samples_ = {};
  turn_ = 0;
  until_trial_ = kPause;
}

void LongCopy::copy_by(Way way, std::byte* to, const void* from, std::size_t bytes) noexcept {
  way == Way::string && !string_copy_stalls(to, from) ? copy_by_string(to, from, bytes)
                                                      : copy_payload(to, from, bytes);
}

// Stores leave the core long after the last of them is done with.
void LongCopy::timed(std::byte* to, const void* from, std::size_t bytes) noexcept {
  const std::uint64_t start = now_ns();
  copy_by(next(), to, from, bytes);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  took(bytes, now_ns() - start);
}

}  // namespace tessera::btl::sm
