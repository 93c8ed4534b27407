// SPDX-License-Identifier: BSD-3-Clause
// Single copies between processes through the kernel.
#include "single_copy.h"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "tessera/clock.h"
#include "tessera/cma.h"

namespace tessera::btl::sm {

constexpr const char* kAdvice = "set btl_sm_single_copy=none to copy through the ring instead";

Status read_process(std::int32_t pid, void* local, std::uint64_t remote,
                    std::size_t bytes) noexcept {
  return with_advice(read_memory(pid, local, remote, bytes), kAdvice);
}

Status write_process(std::int32_t pid, const void* local, std::uint64_t remote,
                     std::size_t bytes) noexcept {
  return with_advice(write_memory(pid, local, remote, bytes), kAdvice);
}

// The first calls find nothing in the caches. It is the same way through the kernel if the other
// process is this one.
std::uint64_t cost_of_reading() noexcept {
  constexpr int kCalls = 8;
  const std::uint64_t word = 0;
  const CmaProbe own{reinterpret_cast<std::uintptr_t>(&word), word};
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t before = now_ns();
  for (int i = 0; i < kCalls; ++i) {
    static_cast<void>(try_probe(getpid(), own));
    const std::uint64_t after = now_ns();
    least = std::min(least, after - before);
    before = after;
  }
  return least;
}

// What a byte costs more through the ring than with one direct copy, in picoseconds; nothing where
// the ring is no slower.
static double second_copy(const MachineFigures& f) noexcept {
  return std::max(0.0, 1e6 / f.copy_far + 1e6 / f.stream - 1e6 / f.single);
}

// A process's own word lies in the caches already. On another one's the call takes twice as long,
// and a handshake goes with it: for each nanosecond of it 28 bytes are copied a second time where
// the figures are the default ones (measured: 0.65 us, and 18 KiB take equally long either way;
// docs/decisions/0065), elsewhere as many more as a second copy is cheaper.
std::size_t worth_reading(std::uint64_t cost_ns, const MachineFigures& figures) noexcept {
  constexpr std::uint64_t kBytesPerNs = 28;
  constexpr std::uint64_t kMost = 24 * 1024;
  constexpr MachineFigures kMeasured;
  const bool given = figures.single_call_ns != kMeasured.single_call_ns;
  const std::uint64_t cost = given ? figures.single_call_ns / 2 : cost_ns;
  const std::uint64_t bytes =
      std::clamp(std::min(cost, kMost) * kBytesPerNs, std::uint64_t{kLeastRead}, kMost);
  return in_proportion(bytes, second_copy(kMeasured), second_copy(figures)) / 1024 * 1024;
}

}  // namespace tessera::btl::sm
