// SPDX-License-Identifier: BSD-3-Clause
// How a process sleeps and is woken: futex and membarrier behind Bell.
//
// Why no wake-up is lost. The sender stores its message M and then loads sleeping_ (ring). The owner stores
// sleeping_ = 1 and then loads M (announce, look again). It is lost only if the sender's load yields 0 and the owner's
// load misses M, that is, if both loads overtook the store before them. Two full fences would forbid it; the sender's
// would cost some 20 ns per message for the sake of an event that is rare. So the owner pays for both: after its
// store it asks the kernel for a full barrier on every CPU that runs a registered process (membarrier, GLOBAL_EXPEDITED).
// For a sender running at that moment the barrier lies at one point of its program order:
//   - before its load of sleeping_: then the owner's store precedes the barrier, the load yields 1, the sender wakes;
//   - after that load: then the store of M precedes the barrier too, and the owner's later load finds M.
// A sender that is not running passes through the scheduler, which is a full barrier, in between. The compiler keeps
// store and load in order by the signal fence in ring(). Where a process cannot be registered, fenced_ is set in all
// bells before that process rings any: senders then fence, and announce() fences as well as asking the kernel, so it
// is right for both kinds of sender.
//
// Why no sleep outlives a ring. sleeping_ is itself the futex: a ringer exchanges it from 1 to 0 and only then calls the
// kernel; the kernel compares it with 1 before it lets the owner sleep. Of several ringers one sees the 1 and makes the
// call. A late call of a former ring wakes the owner early: sleep() may return without cause, and callers look again.
//
#include "core/bell.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tessera/peer.h"

namespace tessera {
namespace {

constexpr std::uint32_t kAwake = 0;
constexpr std::uint32_t kSleeping = 1;

// Not FUTEX_PRIVATE: the word lies in memory that several processes map at different addresses.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) noexcept {
  static_cast<void>(syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0));
}

}  // namespace

bool register_for_barriers() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void Bell::install() noexcept {
  if (!register_for_barriers()) fenced_.store(1, std::memory_order_seq_cst);
}

void Bell::announce() noexcept {
  sleeping_.store(kSleeping, std::memory_order_seq_cst);
  static_cast<void>(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0));
}

void Bell::sleep(std::int64_t timeout_us) noexcept {
  const timespec limit{timeout_us / 1'000'000, timeout_us % 1'000'000 * 1'000};
  futex(sleeping_, FUTEX_WAIT, kSleeping, timeout_us < 0 ? nullptr : &limit);
  sleeping_.store(kAwake, std::memory_order_relaxed);
}

void Bell::wake() noexcept {
  rings_.fetch_add(1, std::memory_order_relaxed);
  if (sleeping_.exchange(kAwake, std::memory_order_acq_rel) == kSleeping)
    futex(sleeping_, FUTEX_WAKE, 1, nullptr);
}

}  // namespace tessera
