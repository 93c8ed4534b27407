// SPDX-License-Identifier: BSD-3-Clause
// Single copies between processes through the kernel.
#include "single_copy.h"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tessera/peer.h"

namespace tessera::btl::sm {

static Status with_advice(Status status) noexcept {
  if (status.ok()) [[likely]]
    return status;
  char text[320];
  std::snprintf(text, sizeof text,
                "%s; set btl_sm_single_copy=none to copy through the ring instead", status.text());
  return Status::failure(status.code(), text);
}

Status read_process(std::int32_t pid, void* local, std::uint64_t remote,
                    std::size_t bytes) noexcept {
  return with_advice(read_memory(pid, local, remote, bytes));
}

Status write_process(std::int32_t pid, const void* local, std::uint64_t remote,
                     std::size_t bytes) noexcept {
  return with_advice(write_memory(pid, local, remote, bytes));
}

// A failure is an answer here, and costs no text.
bool can_read(std::int32_t pid, std::uint64_t address, std::uint64_t value) noexcept {
  std::uint64_t found = ~value;
  const iovec here{&found, sizeof found};
  const iovec there{reinterpret_cast<void*>(address),
                    sizeof found};  // NOLINT: an address of the other process
  return process_vm_readv(pid, &here, 1, &there, 1, 0) == ssize_t{sizeof found} && found == value;
}

// The first calls find nothing in the caches. It is the same way through the kernel if the other
// process is this one.
std::uint64_t cost_of_reading() noexcept {
  constexpr int kCalls = 8;
  const std::uint64_t word = 0;
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds least = std::chrono::nanoseconds::max();
  Clock::time_point before = Clock::now();
  for (int i = 0; i < kCalls; ++i) {
    static_cast<void>(can_read(getpid(), reinterpret_cast<std::uintptr_t>(&word), word));
    const Clock::time_point after = Clock::now();
    least = std::min<std::chrono::nanoseconds>(least, after - before);
    before = after;
  }
  return static_cast<std::uint64_t>(least.count());
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
  constexpr std::uint64_t kLeast = 8 * 1024, kMost = 24 * 1024;
  constexpr MachineFigures kMeasured;
  const bool given = figures.single_call_ns != kMeasured.single_call_ns;
  const std::uint64_t cost = given ? figures.single_call_ns / 2 : cost_ns;
  const std::uint64_t bytes = std::clamp(std::min(cost, kMost) * kBytesPerNs, kLeast, kMost);
  return in_proportion(bytes, second_copy(kMeasured), second_copy(figures)) / 1024 * 1024;
}

void admit_siblings() noexcept {
#ifdef PR_SET_PTRACER
  const pid_t parent = getppid();
  if (parent > 1) prctl(PR_SET_PTRACER, static_cast<unsigned long>(parent), 0, 0, 0);
#endif
}

}  // namespace tessera::btl::sm
