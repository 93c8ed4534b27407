// SPDX-License-Identifier: BSD-3-Clause
// Looks for the MPI process behind a script or tool that mpiexec started for a rank.
#pragma once
//
// Contract. A process number that a rank has noted may belong to a namespace of its own, or to
// another process by now: it proves life, never death. A rank is dead only when no process that
// descends from what was started for it, or that was orphaned, has the job segment in its memory.
// What cannot be read counts as alive.
//
#include <sys/types.h>

#include <functional>

namespace tessera::launcher {

// Exists, and has not ended.
bool is_running(pid_t process) noexcept;

// 0: it has none, has ended, or cannot be read.
pid_t parent_of(pid_t process);

// Whether such a process exists behind `started`, a child of this process. `segment`: a descriptor
// of the job segment; `stands_for_rank`: whether a child of this process was started for a rank.
// Reads all of /proc: not for every second.
bool has_segment_behind(pid_t started, int segment,
                        const std::function<bool(pid_t)>& stands_for_rank);

}  // namespace tessera::launcher
