// SPDX-License-Identifier: BSD-3-Clause
// Copies from and to a mapping of a file, which another process may shorten meanwhile.
#pragma once
//
// Contract. A page of a mapping that lies behind the end of its file, or that its storage cannot
// deliver, is a SIGBUS for who touches it. guarded() runs a copy and returns false instead: the
// copy has stopped somewhere, or has not begun, since a sandbox refuses the handler. Nobody else
// sees that signal. Any other SIGBUS goes to the action that was there before, as if there were no
// guard: the handler of the program, the report of the library, the end of the process.
//
// The handler is installed while copies run and at no other time, so a program may set its own
// whenever it likes, but for the moments of a copy by another of its threads: its handler then
// stays, and that copy goes without a guard. Any number of threads may copy. A thread that blocks
// SIGBUS cannot be guarded: the kernel ends a process for a fault whose signal is blocked.
//
// `copy` holds nothing that a jump out of it would lose: no lock, no object with a destructor.
//
#include <cstddef>
#include <memory>
#include <span>

namespace tessera::io::posix {

// Whether the calling thread can be guarded.
bool guardable() noexcept;

bool guarded(std::span<const std::byte> mapping, void (*copy)(void*), void* argument) noexcept;

template <class Copy>
bool guarded(std::span<const std::byte> mapping, const Copy& copy) noexcept {
  const void* const argument = std::addressof(copy);
  return guarded(
      mapping, [](void* it) { (*static_cast<const Copy*>(it))(); }, const_cast<void*>(argument));
}

}  // namespace tessera::io::posix
