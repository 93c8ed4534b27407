// SPDX-License-Identifier: BSD-3-Clause
// A table of guards that the handler of SIGSEGV reads without a lock.
#include "check/guards.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>

#include "check/places.h"
#include "check/report.h"
#include "framework/fault.h"

namespace tessera::check {
namespace {

// Each guard makes two mappings more, of which the system allows a process 65530.
constexpr std::size_t kMostGuards = 1024;
// More threads than that do not come at once to a page that has just been opened.
constexpr int kMostRepeats = 1000;

// A slot is taken and given back under the mutex. The handler, which takes none, opens it by the
// change from closed to opening, as open() does: whoever makes that change gives the pages back.
enum class State : std::uint8_t { free, closed, opening, touched, told };

// Return addresses, or as one behind the instruction of the fault, the innermost first.
struct Callers {
  std::array<const void*, 24> places{};
  std::size_t count = 0;
  void add(const void* place) noexcept {
    if (count < places.size()) places[count++] = place;
  }
};

struct Slot {
  std::atomic<State> state{State::free};
  std::atomic<int> repeats{0};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  Site site{};
  Callers callers{};
  Registers::Access access{};

  bool holds(std::uintptr_t address) const noexcept {
    return address >= begin.load(std::memory_order_relaxed) &&
           address < end.load(std::memory_order_relaxed);
  }
  bool protect(int rights) const noexcept {
    const std::uintptr_t from = begin.load(std::memory_order_relaxed);
    return ::mprotect(reinterpret_cast<void*>(from), end.load(std::memory_order_relaxed) - from,
                      rights) == 0;
  }
  bool take(State from, State to) noexcept { return state.compare_exchange_strong(from, to); }
  bool open_from(State to) noexcept {
    if (!take(State::closed, State::opening)) return false;
    protect(PROT_READ | PROT_WRITE);
    state.store(to);
    return true;
  }
};

constinit std::array<Slot, kMostGuards> slots{};
constinit std::atomic<std::size_t> slots_used{0};  // those behind have never been taken
constinit std::atomic<int> guards_taken{0};
constinit std::atomic<int> untold{0};
constinit std::atomic<bool> given_up{false};
constinit std::mutex table_mutex;
constinit bool installed = false;
constinit struct sigaction handler_before {};

struct FaultWalk {
  const void* fault;
  Callers& callers;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* argument) noexcept {
  const FaultWalk& walk = *static_cast<FaultWalk*>(argument);
  int exact = 0;
  auto* const address = reinterpret_cast<const char*>(_Unwind_GetIPInfo(context, &exact));
  if (walk.callers.count > 0 || address == walk.fault)
    walk.callers.add(exact != 0 ? address + 1 : address);
  return _URC_NO_REASON;
}

// In the program, where its own code is among the callers: a copy is made by the C library.
const void* place_of(const Callers& callers) noexcept {
  for (std::size_t i = 0; i < callers.count; ++i) {
    Dl_info info{};
    const void* const instruction = static_cast<const char*>(callers.places[i]) - 1;
    if (dladdr(instruction, &info) != 0 && info.dli_fname != nullptr &&
        is_of_program(info.dli_fname))
      return callers.places[i];
  }
  return callers.places[0];
}

const char* verb_of(Registers::Access access) noexcept {
  return access == Registers::Access::reads    ? "read"
         : access == Registers::Access::writes ? "written"
                                               : "read or written";
}

const char* remark_on(Registers::Access access) noexcept {
  return access == Registers::Access::writes
             ? "what arrives and what was written overwrite each other. Touch"
             : "what was read may be old. Touch";
}

// Whether the page is one of ours, and the instruction can be tried again.
bool gave_back(std::uintptr_t address, const void* context) noexcept {
  const std::size_t used = slots_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    Slot& slot = slots[i];
    if (slot.state.load() == State::free || !slot.holds(address)) continue;
    if (!slot.take(State::closed, State::opening)) {
      // Another thread was here before. While it is at work it may lack a processor.
      if (slot.state.load() == State::opening) return ::sched_yield(), true;
      if (slot.repeats.fetch_add(1) < kMostRepeats) return true;
      continue;
    }
    if (!slot.holds(address)) {  // it has been given back and taken meanwhile
      slot.state.store(State::closed);
      return true;
    }
    const Registers registers = registers_of(context);
    slot.access = registers.access;
    slot.callers.count = 0;
    FaultWalk walk{reinterpret_cast<const void*>(registers.place), slot.callers};
    _Unwind_Backtrace(note_frame, &walk);
    if (slot.callers.count == 0) slot.callers.add(static_cast<const char*>(walk.fault) + 1);
    slot.protect(PROT_READ | PROT_WRITE);
    untold.fetch_add(1);
    slot.state.store(State::touched);
    return true;
  }
  return false;
}

// Without lines of the source, for which memory would have to be allocated.
void tell_at_once(const Slot& slot) noexcept {
  const void* const place = place_of(slot.callers);
  Dl_info info{};
  const bool known = dladdr(place, &info) != 0 && info.dli_fname != nullptr;
  std::array<char, 512> line;
  const int length = std::snprintf(
      line.data(), line.size(),
      "mpiexec --check: rank %d: %s: its receive buffer was %s at %s+%#lx before the operation was "
      "completed\n",
      told_as(), slot.site.function, verb_of(slot.access), known ? info.dli_fname : "",
      static_cast<unsigned long>(static_cast<const char*>(place) - 1 -
                                 static_cast<const char*>(known ? info.dli_fbase : nullptr)));
  if (length <= 0) return;
  [[maybe_unused]] const ssize_t written = write(
      STDERR_FILENO, line.data(), std::min(static_cast<std::size_t>(length), line.size() - 1));
}

// A fault repeats itself; what a process has sent is sent again.
void hand_over(int signal, siginfo_t* info) noexcept {
  given_up.store(true);
  open_all_guards();
  for (Slot& slot : slots) {
    if (!slot.take(State::touched, State::told)) continue;
    untold.fetch_sub(1);
    tell_at_once(slot);
  }
  sigaction(signal, &handler_before, nullptr);
  if (info->si_code <= 0) syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, info);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (info->si_code != SEGV_ACCERR || !gave_back(address, context)) hand_over(signal, info);
  errno = error;
}

// The unwinder prepares itself at its first use, which is better done here than in the handler.
void install_handler() noexcept {
  Callers unused;
  FaultWalk walk{nullptr, unused};
  _Unwind_Backtrace(note_frame, &walk);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  installed = sigaction(SIGSEGV, nullptr, &handler_before) == 0 &&
              sigaction(SIGSEGV, &action, nullptr) == 0;
}

bool handler_in_place() noexcept {
  if (given_up.load()) return false;
  if (!installed) install_handler();
  struct sigaction now {};
  return installed && sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == on_fault;
}

int free_slot() noexcept {
  const std::size_t used = slots_used.load();
  for (std::size_t i = 0; i < used; ++i)
    if (slots[i].state.load() == State::free) return static_cast<int>(i);
  if (used == kMostGuards) return -1;
  slots_used.store(used + 1, std::memory_order_release);
  return static_cast<int>(used);
}

void tell_of(Slot& slot) {
  if (!slot.take(State::touched, State::told)) return;
  untold.fetch_sub(1);
  const void* const place = place_of(slot.callers);
  complain({slot.site.function, place},
           fmt::format("{}: its receive buffer was {} at {} before the operation was completed; {} "
                       "a receive buffer after its completion only",
                       text_of(slot.site), verb_of(slot.access), text_at(place),
                       remark_on(slot.access)));
}

void give_back(Slot& slot, int& number) {
  slot.open_from(State::told);
  while (slot.state.load() == State::opening) ::sched_yield();  // a handler on another thread
  tell_of(slot);
  slot.state.store(State::free);
  guards_taken.fetch_sub(1);
  number = -1;
}

// A program may end without another call.
struct AtExit {
  ~AtExit() { tell_touches(); }
} at_exit;

}  // namespace

bool can_guard() noexcept {
  const std::lock_guard lock(table_mutex);
  return handler_in_place() && free_slot() >= 0;
}

void Guard::close(std::uintptr_t begin, std::uintptr_t end, const Site& site) noexcept {
  open();
  const std::lock_guard lock(table_mutex);
  const int number = handler_in_place() ? free_slot() : -1;
  if (number < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(number)];
  slot.begin.store(begin, std::memory_order_relaxed);
  slot.end.store(end, std::memory_order_relaxed);
  slot.repeats.store(0);
  slot.site = site;
  slot.state.store(State::closed);
  slot_ = number;
  guards_taken.fetch_add(1);
  if (slot.protect(PROT_NONE)) return;
  give_back(slot, slot_);  // some pages may have been closed
}

void Guard::open() noexcept {
  if (slot_ < 0) return;
  const std::lock_guard lock(table_mutex);
  give_back(slots[static_cast<std::size_t>(slot_)], slot_);
}

bool any_guard() noexcept {
  return guards_taken.load(std::memory_order_relaxed) > 0;
}

void open_all_guards() noexcept {
  for (Slot& slot : slots) slot.open_from(State::told);
}

void tell_touches() noexcept {
  if (untold.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(table_mutex);
  for (Slot& slot : slots) tell_of(slot);
}

}  // namespace tessera::check
