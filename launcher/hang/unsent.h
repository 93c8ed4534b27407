// SPDX-License-Identifier: BSD-3-Clause
// Whether bytes of a process are still on their way over TCP.
#pragma once

#include <sys/types.h>

namespace tessera::launcher {

// True: a TCP socket of the process has bytes that the other end has not acknowledged, or nobody
// can tell. What is acknowledged lies at the other end, where its process finds it at its next
// look.
bool may_have_unsent(pid_t process);

}  // namespace tessera::launcher
