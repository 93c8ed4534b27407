// SPDX-License-Identifier: BSD-3-Clause
// Pages that the program may not touch now: Guard.
#pragma once
//
// Contract. While a Guard is closed, its pages can be neither read nor written. The first access by
// the program is noted, with the callers of the instruction, and gives the pages back: the program
// goes on. The note is told by the next call of MPI, since a handler of signals cannot ask for
// lines of the source; at the end of the process; or, with an address in place of a line, when a
// signal ends it.
//
// The handler of SIGSEGV is set with the first guard. A fault that is none of ours opens all guards
// and puts back the handler that was there before, for good: the fault happens again under that
// one. Nothing is guarded either once the program has set another handler.
//
#include <cstdint>

#include "check/call.h"

namespace tessera::check {

class Guard {
 public:
  Guard() = default;
  ~Guard() { open(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Whole pages of private memory that may be read and written; the place of the operation that
  // owns them. What cannot be guarded stays open.
  void close(std::uintptr_t begin, std::uintptr_t end, const Site& site) noexcept;
  void open() noexcept;

 private:
  int slot_ = -1;
};

// Whether a fault would come to us, and there is room for another guard.
bool can_guard() noexcept;

// Whether there are some; costs a load.
bool any_guard() noexcept;

void open_all_guards() noexcept;

// Tells what was noted; costs a load where nothing was.
void tell_touches() noexcept;

}  // namespace tessera::check
