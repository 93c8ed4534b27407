// SPDX-License-Identifier: BSD-3-Clause
// What a handler of SIGSEGV and SIGBUS can tell of a fault: Registers, is_of_program().
#pragma once
//
// Contract. Handlers of signals may call all of it. Whoever includes it needs no library.
//
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tessera {

// The processor's state at the fault, as far as a report needs it. Of processors that this does not
// know, all is 0 or unknown.
struct Registers {
  enum class Access : std::uint8_t { unknown, reads, writes };
  std::uintptr_t place = 0;  // of the instruction
  std::uintptr_t stack = 0;
  Access access = Access::unknown;
  std::array<std::uintptr_t, 31> general{};
};

inline Registers registers_of([[maybe_unused]] const void* context) noexcept {
  Registers registers;
#if defined(__x86_64__)
  const auto& known = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr int writing = 2;  // in the error code of a page fault
  registers.place = static_cast<std::uintptr_t>(known[REG_RIP]);
  registers.stack = static_cast<std::uintptr_t>(known[REG_RSP]);
  registers.access =
      (known[REG_ERR] & writing) != 0 ? Registers::Access::writes : Registers::Access::reads;
  std::copy(known, known + REG_RSP, registers.general.begin());
#elif defined(__aarch64__)
  const auto& known = static_cast<const ucontext_t*>(context)->uc_mcontext;
  registers.place = known.pc;
  registers.stack = known.sp;
  std::copy(std::begin(known.regs), std::end(known.regs), registers.general.begin());
#endif
  return registers;
}

// Whether a file holds code of the program: not of the library, nor of what either of them calls.
inline bool is_of_program(std::string_view file) noexcept {
  const std::size_t begin = file.rfind('/') + 1;
  const std::string_view name = file.substr(begin);
  for (const char* other :
       {"libmpi", "libtessera", "libc.", "libm.", "libstdc++.", "libgfortran.", "ld-linux"})
    if (name.starts_with(other)) return false;
  return !file.substr(0, begin).ends_with("/tessera/");  // where components lie
}

}  // namespace tessera
