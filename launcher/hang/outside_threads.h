// SPDX-License-Identifier: BSD-3-Clause
// Threads of a rank that are in no call of MPI, and that only a thread of this rank can wake.
#pragma once
//
// Contract. Reads what the kernel tells about the threads of a process that the caller may trace.
// A thread counts as asleep when it waits in futex(2), without a limit of time, for memory that no
// other process shares: in a condition variable, a mutex, a semaphore or a join. Where nothing says
// so, it counts as awake.
//
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tessera::launcher {

struct OutsideThreads {
  std::uint32_t count = 0;
  // How often each of them has begun to run so far. The same at two looks: all were asleep at once.
  std::string switches;
};

// All threads of `process` but those in `others`; none when one of them is awake, or a timer or a
// handler of signals may wake one.
std::optional<OutsideThreads> asleep_outside(pid_t process, std::span<const std::int32_t> others);

}  // namespace tessera::launcher
