// SPDX-License-Identifier: BSD-3-Clause
// Arguments of execve(2) and sigtimedwait(2).
#pragma once

#include <signal.h>

#include <string>
#include <vector>

namespace tessera::launcher::across {

// Of the texts themselves, which no one writes to; the last is null.
std::vector<char*> pointers(const std::vector<std::string>& texts);

double now_s() noexcept;  // of CLOCK_MONOTONIC

// Takes the next of these blocked signals. -1: none has come in so many seconds.
int next_signal(const sigset_t& signals, double seconds, siginfo_t& info) noexcept;

}  // namespace tessera::launcher::across
