// SPDX-License-Identifier: BSD-3-Clause
// The handler of faults: as little as possible, since anything may be broken.
#include "api/env/fault_report.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "api/env/fault_buffers.h"
#include "api/env/world.h"
#include "framework/fault.h"

namespace tessera::api {
namespace {

constinit std::atomic<unsigned> rank_in_job{0};

// The walk over the callers of the handler.
struct Walk {
  const void* fault;               // where it happened; frames before it are the handler's
  bool inside = false;             // that frame has been seen
  const char* function = nullptr;  // the MPI function, once found
};

bool is_of_library(std::string_view file) noexcept {
  return file.substr(file.rfind('/') + 1).starts_with("libmpi");
}

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* argument) noexcept {
  Walk& walk = *static_cast<Walk*>(argument);
  int before = 0;
  auto* const address = reinterpret_cast<const char*>(_Unwind_GetIPInfo(context, &before));
  walk.inside = walk.inside || address == walk.fault;
  if (!walk.inside) return _URC_NO_REASON;
  Dl_info info{};
  if (dladdr(before != 0 ? address : address - 1, &info) == 0 || info.dli_fname == nullptr)
    return _URC_END_OF_STACK;
  if (is_of_program(info.dli_fname)) return _URC_END_OF_STACK;
  // Without a better one: of a tail call nothing is left on the stack.
  if (is_of_library(info.dli_fname)) walk.function = "a function of MPI";
  const std::string_view symbol = info.dli_sname != nullptr ? info.dli_sname : "";
  if (!symbol.starts_with("MPI_") && !symbol.starts_with("PMPI_")) return _URC_NO_REASON;
  walk.function = info.dli_sname + (symbol[0] == 'P' ? 1 : 0);
  return _URC_END_OF_STACK;
}

struct Fault {
  int signal;
  const siginfo_t& info;
  const Registers& registers;

  std::uintptr_t address() const noexcept { return reinterpret_cast<std::uintptr_t>(info.si_addr); }
  // The address does not tell: it is none.
  bool without_address() const noexcept { return signal == SIGSEGV && info.si_code == SI_KERNEL; }
};

// What lies below the stack pointer is used next; the system makes a stack longer as it is used,
// until its limit.
bool stack_is_used_up(const Fault& fault) noexcept {
  constexpr std::uintptr_t near = 64 << 10;
  constexpr std::uintptr_t page = 4096;
  const std::uintptr_t stack = fault.registers.stack;
  if (fault.signal != SIGSEGV || fault.without_address() || stack < near ||
      fault.address() < stack - near || fault.address() > stack + near)
    return false;
  unsigned char in_memory = 0;
  return fault.address() < stack ||
         mincore(reinterpret_cast<void*>(stack / page * page), 1, &in_memory) != 0;
}

// What a function of MPI itself reads there is the kind of the object that a handle stands for; 0
// where the fault was another one.
std::uintptr_t handle_in(const Fault& fault) noexcept {
  constexpr std::uintptr_t place_of_kind = sizeof(void*);  // behind the table of functions
  Dl_info info{};
  if (fault.registers.access == Registers::Access::writes || fault.without_address() ||
      dladdr(reinterpret_cast<void*>(fault.registers.place), &info) == 0 ||
      info.dli_fname == nullptr || !is_of_library(info.dli_fname))
    return 0;
  const std::uintptr_t object = fault.address() - place_of_kind;
  const auto& general = fault.registers.general;
  const bool is_there = std::find(general.begin(), general.end(), object) != general.end();
  return is_there && object % alignof(Object) == 0 ? object : 0;
}

// One line for standard error; what does not fit is cut.
class Line {
 public:
  template <class... Values>
  void add(const char* format, Values... values) noexcept {
    const std::size_t room = sizeof text_ - length_;
    const int more = std::snprintf(text_ + length_, room, format, values...);
    if (more > 0) length_ += std::min(static_cast<std::size_t>(more), room - 1);
  }
  void print() const noexcept {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text_, length_);
  }

 private:
  char text_[768];
  std::size_t length_ = 0;
};

void add_place(Line& line, const Fault& fault) noexcept {
  if (stack_is_used_up(fault)) return line.add("has no stack left");
  if (!fault.without_address()) {
    const char* const why = fault.signal == SIGBUS              ? "has no memory behind"
                            : fault.info.si_code == SEGV_ACCERR ? "may not use so"
                                                                : "does not have";
    return line.add("touched address %p, which the process %s", fault.info.si_addr, why);
  }
  line.add("touched an address that no process can have, or that is not aligned");
}

void add_advice(Line& line, const Fault& fault) noexcept {
  if (stack_is_used_up(fault)) {
    return line.add(
        "The program calls too deep, or its local variables are too large; ulimit -s "
        "has the limit of the first thread.");
  }
  if (fault.signal == SIGBUS) {
    return line.add(
        "A buffer lies in a mapping that reaches beyond the end of its file, or in "
        "shared memory for which there is no room.");
  }
  if (const std::uintptr_t handle = handle_in(fault); handle != 0)
    return line.add(
        "%#lx, which is probably a handle among the arguments of this call, was never one.",
        handle);
  const char* what = "A buffer, a handle or another pointer among the arguments of this call";
  const bool known = !fault.without_address();
  if (known && fault.registers.access == Registers::Access::reads)
    what = "What this call reads (a buffer to send, a handle, an array)";
  if (known && fault.registers.access == Registers::Access::writes)
    what =
        "What this call writes (a buffer to receive into, a status, a request or another result)";
  line.add("%s is not valid, or a count or a displacement is too large for its buffer.", what);
}

// The component that the engine opens, asks or closes, and what to do about it. Null: none.
const char* component_at_work() noexcept {
  const LoadNote* const note =
      world.engine != nullptr ? world.engine->kernel().load_note() : nullptr;
  return note != nullptr && note->text[0] != 0 ? note->text : nullptr;
}

void add_amount(Line& line, const WaitNote& note) noexcept {
  line.add(" It was called for %lld element%s of %lld bytes", static_cast<long long>(note.count),
           note.count == 1 ? "" : "s", static_cast<long long>(note.type->size()));
  if (note.peer >= 0) line.add(", rank %d", note.peer);
  if (note.tag >= 0) line.add(", tag %d", note.tag);
  if (note.comm != nullptr && *note.comm->name() != 0) line.add(", %s", note.comm->name());
  line.add(".");
}

// A call that transfers messages notes for its wait what it was called with.
void tell_arguments(const Fault& fault, const char* function) noexcept {
  const WaitNote* const note = world.engine != nullptr ? world.engine->progress().noted() : nullptr;
  if (note == nullptr || std::strcmp(note->function, function) != 0) return;
  const bool written = fault.registers.access == Registers::Access::writes;
  const char* const buffer =
      fault.without_address() ? nullptr : buffer_at(fault.address(), written, *note);
  if (note->type == nullptr && buffer == nullptr) return;
  Line line;
  line.add(" ");
  if (note->type != nullptr) add_amount(line, *note);
  if (buffer != nullptr) line.add(" The address lies in its argument `%s`.", buffer);
  line.add("\n");
  line.print();
}

void tell(const Fault& fault, const char* function) noexcept {
  Line line;
  line.add("%s: rank %u of the job ", function, rank_in_job.load(std::memory_order_relaxed));
  add_place(line, fault);
  line.add(", and is killed by signal %d (%s).\n  ", fault.signal,
           fault.signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
  if (const char* const component = component_at_work(); component != nullptr)
    line.add("The fault occurred while the process %s", component);
  else
    add_advice(line, fault);
  line.add("\n");
  line.print();
  tell_arguments(fault, function);
}

// The action is the default one again (SA_RESETHAND): returning repeats the fault, and a second
// fault in here ends the process. What another process has sent does not come again by itself.
void on_fault(int signal, siginfo_t* info, void* context) {
  if (info->si_code <= 0) {
    ::raise(signal);
    return;
  }
  const Registers registers = registers_of(context);
  Walk walk{reinterpret_cast<const void*>(registers.place)};
  _Unwind_Backtrace(look_at_frame, &walk);
  if (walk.function != nullptr) tell({signal, *info, registers}, walk.function);
}

// For the thread that starts MPI, unless the program has one: without it nothing can be told of a
// stack that is used up. Until then it takes no memory.
void lend_stack() noexcept {
  static constinit std::array<std::byte, 64 << 10> stack{};
  stack_t known{};
  if (sigaltstack(nullptr, &known) != 0 || (known.ss_flags & SS_DISABLE) == 0) return;
  stack_t lent{};
  lent.ss_sp = stack.data();
  lent.ss_size = stack.size();
  sigaltstack(&lent, nullptr);
}

}  // namespace

void report_faults(unsigned rank) noexcept {
  rank_in_job.store(rank, std::memory_order_relaxed);
  for (const int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction known {};
    if (sigaction(signal, nullptr, &known) != 0) continue;
    if ((known.sa_flags & SA_SIGINFO) != 0 || known.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
    sigaction(signal, &action, nullptr);
    lend_stack();
  }
}

}  // namespace tessera::api
