// SPDX-License-Identifier: BSD-3-Clause
// The handler of faults: as little as possible, since anything may be broken.
#include "api/env/fault_report.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace tessera::api {
namespace {

constinit std::atomic<unsigned> rank_in_job{0};

// The walk over the callers of the handler.
struct Walk {
  const void* fault;               // where it happened; frames before it are the handler's
  bool inside = false;             // that frame has been seen
  const char* function = nullptr;  // the MPI function, once found
};

bool is_of_program(std::string_view file) noexcept {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return !name.starts_with("libmpi") && !name.starts_with("libtessera") &&
         !name.starts_with("libc.") && file.find("/tessera/") == std::string_view::npos;
}

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

const void* place_of_fault([[maybe_unused]] void* context) noexcept {
#if defined(__x86_64__)
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  return reinterpret_cast<const void*>(registers[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

void tell(int signal, const siginfo_t& info, const char* function) noexcept {
  char text[512];
  const int length = std::snprintf(
      text, sizeof text,
      "%s: rank %u of the job touched address %p, which the process %s, and is killed by signal %d "
      "(%s).\n  A buffer, a handle or another pointer among the arguments of this call is not "
      "valid, or a count or a displacement is too large for its buffer.\n",
      function, rank_in_job.load(std::memory_order_relaxed), info.si_addr,
      info.si_code == SEGV_ACCERR ? "may not use so" : "does not have", signal,
      signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
  if (length > 0) {
    const auto bytes = std::min(static_cast<std::size_t>(length), sizeof text - 1);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, bytes);
  }
}

// The action is the default one again (SA_RESETHAND): returning repeats the fault, and a second
// fault in here ends the process. What another process has sent does not come again by itself.
void on_fault(int signal, siginfo_t* info, void* context) {
  if (info->si_code <= 0) {
    ::raise(signal);
    return;
  }
  Walk walk{place_of_fault(context)};
  _Unwind_Backtrace(look_at_frame, &walk);
  if (walk.function != nullptr) tell(signal, *info, walk.function);
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
  }
}

}  // namespace tessera::api
