// SPDX-License-Identifier: BSD-3-Clause
// The handler of SIGBUS, and who is behind it.
#include "guarded_copy.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace tessera::io::posix {
namespace {

// A copy under way.
struct Copying {
  std::span<const std::byte> mapping;
  sigjmp_buf back;
};

// Static storage of the thread: the handler may run on a thread that has never copied, where any
// other kind would allocate.
[[gnu::tls_model("initial-exec")]] constinit thread_local Copying* under_way = nullptr;

// An action belongs to the process, and so does what follows. `before` is read by the handler
// without the lock; it changes only when the program has set another action since the last copy.
constinit std::mutex turn;
constinit int users = 0;
constinit std::atomic<bool> installed{false};
struct sigaction before;

bool within(std::span<const std::byte> mapping, const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto first = reinterpret_cast<std::uintptr_t>(mapping.data());
  return at >= first && at - first < mapping.size();
}

// What is not of a copy gets its action back, and the kernel delivers it there with all that
// belongs to it (mask, stack, flags): a fault repeats when this returns, a signal that was sent is
// sent again. Copies of other threads go without a guard until the next one begins.
void on_fault(int signal, siginfo_t* info, void*) {
  Copying* const mine = under_way;
  if (mine != nullptr && info->si_code > 0 && within(mine->mapping, info->si_addr))
    siglongjmp(mine->back, 1);
  const int error = errno;
  installed.store(false, std::memory_order_relaxed);
  sigaction(SIGBUS, &before, nullptr);
  if (info->si_code <= 0) syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, info);
  errno = error;
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_fault;
}

// SA_NODEFER: the jump out of the handler then has no mask to restore (kMaskToRestore). False: a
// sandbox refuses it.
bool install() noexcept {
  struct sigaction ours {
  }, found{};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
  installed.store(true, std::memory_order_relaxed);
  if (sigaction(SIGBUS, &ours, &found) != 0) return installed.store(false), false;
  if (!is_ours(found)) before = found;
  return true;
}

// Unless another action has been set meanwhile.
void restore() noexcept {
  if (!installed.exchange(false, std::memory_order_relaxed)) return;
  struct sigaction found {};
  sigaction(SIGBUS, &before, &found);
  if (!is_ours(found)) sigaction(SIGBUS, &found, nullptr);
}

bool enter() noexcept {
  const std::lock_guard lock(turn);
  const bool there = users > 0 && installed.load(std::memory_order_relaxed);
  if (!there && !install()) return false;
  return ++users, true;
}

void leave() noexcept {
  const std::lock_guard lock(turn);
  if (--users == 0) restore();
}

// The thread sanitizer puts a handler of its own around ours, which blocks every signal.
#ifdef __SANITIZE_THREAD__
constexpr int kMaskToRestore = 1;
#else
constexpr int kMaskToRestore = 0;
#endif

bool run(Copying& copying, void (*copy)(void*), void* argument) noexcept {
  if (sigsetjmp(copying.back, kMaskToRestore) != 0) return false;
  under_way = &copying;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copy(argument);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return true;
}

}  // namespace

bool guardable() noexcept {
  sigset_t blocked;
  return pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, SIGBUS) == 0;
}

bool guarded(std::span<const std::byte> mapping, void (*copy)(void*), void* argument) noexcept {
  Copying copying{mapping, {}};
  if (!enter()) return false;
  const bool whole = run(copying, copy, argument);
  under_way = nullptr;
  leave();
  return whole;
}

}  // namespace tessera::io::posix
