// SPDX-License-Identifier: BSD-3-Clause
// How a process sleeps and is woken: futex and membarrier behind Doorbell.
//
// Why no wake-up is lost. The sender stores its message M and then loads sleeping_ (ring). The
// owner stores sleeping_ = 1 and then loads M (announce, look again). It is lost only if the
// sender's load yields 0 and the owner's load misses M, that is, if both loads overtook the store
// before them. Two full fences would forbid it; the sender's would cost some 20 ns per message for
// the sake of an event that is rare. So the owner pays for both: after its store it asks the kernel
// for a full barrier on every CPU that runs a registered process (membarrier, GLOBAL_EXPEDITED).
// For a sender running at that moment the barrier lies at one point of its program order:
//   - before its load of sleeping_: then the owner's store precedes the barrier, the load yields 1,
//   the sender wakes;
//   - after that load: then the store of M precedes the barrier too, and the owner's later load
//   finds M.
// A sender that is not running passes through the scheduler, which is a full barrier, in between.
// The compiler keeps store and load in order by the signal fence in ring(). Where a process cannot
// be registered, fenced_ is set in all bells before that process rings any: senders then fence, and
// announce() fences as well as asking the kernel, so it is right for both kinds of sender.
//
// Why no sleep outlives a ring. sleeping_ is itself the futex: a ringer exchanges it from 1 to 0
// and only then calls the kernel; the kernel compares it with 1 before it lets the owner sleep. Of
// several ringers one sees the 1 and makes the call. A late call of a former ring wakes the owner
// early: sleep() may return without cause, and callers look again.
//
// Why no sleep is endless all the same. Linux keeps a copy of the registration per CPU, and renews
// it when the CPU goes from one process to another. A CPU that ran the process before it
// registered, was idle since and runs it again keeps the old copy, and the barrier passes it by
// (Linux 6.18: a wake-up was lost in 7 of 150 runs of the contract suite of btl). So a sleeper
// looks again after kListenUs.
//
// A futex cannot be waited for together with sockets. An owner that watches sockets therefore
// sleeps in epoll_wait(2), and has a datagram socket among them, with a name that the kernel chose,
// which stands in the bell: a ringer that finds sleeping_ = 2 sends an empty datagram there. It may
// fail to reach it (a network namespace of its own): then it takes the name away, and from the next
// sleep on the owner looks up every now and then.
//
#include "core/progress/doorbell.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/progress/wait_clock.h"
#include "tessera/peer.h"

namespace tessera {
namespace {

constexpr std::uint32_t kAwake = 0;
constexpr std::uint32_t kSleeping = 1;
constexpr std::uint32_t kListening = 2;

// Not FUTEX_PRIVATE: the word lies in memory that several processes map at different addresses.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) noexcept {
  static_cast<void>(syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0));
}

int open_socket() noexcept {
  return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// One per process that rings, for its life; -1 as long as none can be had. Of several threads that
// make the first one, one wins.
int sending_socket() noexcept {
  static std::atomic<int> kept{-1};
  int known = kept.load(std::memory_order_relaxed);
  if (known >= 0) return known;
  const int made = open_socket();
  if (made < 0 || kept.compare_exchange_strong(known, made, std::memory_order_relaxed)) return made;
  close(made);
  return known;
}

// A queue that is full already wakes the owner.
bool send_wake_up(const char* name, std::uint32_t bytes) noexcept {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, name, bytes);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + bytes);
  return sendto(sending_socket(), nullptr, 0, MSG_DONTWAIT | MSG_NOSIGNAL,
                reinterpret_cast<const sockaddr*>(&to), length) == 0 ||
         errno == EAGAIN;
}

}  // namespace

bool register_for_barriers() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0 &&
         syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void barrier_of_all_threads() noexcept {
  static_cast<void>(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0));
}

void barrier_of_own_threads() noexcept {
  static_cast<void>(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
}

void Doorbell::install() noexcept {
  if (!register_for_barriers()) fenced_.store(1, std::memory_order_seq_cst);
}

void Doorbell::announce(bool by_descriptor) noexcept {
  sleeping_.store(by_descriptor ? kListening : kSleeping, std::memory_order_seq_cst);
  barrier_of_all_threads();
}

void Doorbell::sleep(std::int64_t timeout_us) noexcept {
  const std::int64_t us = timeout_us < 0 ? kListenUs : std::min(timeout_us, kListenUs);
  const timespec limit{0, us * 1'000};
  futex(sleeping_, FUTEX_WAIT, kSleeping, &limit);
  sleeping_.store(kAwake, std::memory_order_relaxed);
}

void Doorbell::wake() noexcept {
  rings_.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t was = sleeping_.exchange(kAwake, std::memory_order_acq_rel);
  if (was == kSleeping) futex(sleeping_, FUTEX_WAKE, 1, nullptr);
  if (was != kListening) return;
  const std::uint32_t bytes = name_bytes_.load(std::memory_order_relaxed);
  if (bytes != 0 && !send_wake_up(name_, bytes)) name_bytes_.store(0, std::memory_order_relaxed);
}

// Bound to no name, a socket of this family gets one in the abstract namespace.
int Doorbell::listen() noexcept {
  const int descriptor = open_socket();
  if (descriptor < 0) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  const bool named = bind(descriptor, generic, sizeof(sa_family_t)) == 0 &&
                     getsockname(descriptor, generic, &length) == 0;
  const std::size_t bytes = length - offsetof(sockaddr_un, sun_path);
  if (!named || bytes > sizeof name_) {
    close(descriptor);
    return -1;
  }
  std::memcpy(name_, address.sun_path, bytes);
  name_bytes_.store(static_cast<std::uint32_t>(bytes), std::memory_order_release);
  return descriptor;
}

void Doorbell::drain(int descriptor) noexcept {
  char nothing;
  while (recv(descriptor, &nothing, sizeof nothing, MSG_DONTWAIT) >= 0) {
  }
}

}  // namespace tessera
