// SPDX-License-Identifier: BSD-3-Clause
// Finds and ends the processes below this one.
#pragma once
//
// Contract. A process that has called adopt_orphans() becomes the parent of every descendant whose
// own parent ends, also of those that made themselves a session of their own. So its children,
// killed again and again until there are none, are in the end all its descendants.
//
#include <sys/types.h>

#include <vector>

namespace tessera::launcher {

void adopt_orphans() noexcept;

// From /proc; empty where that is not mounted.
std::vector<pid_t> children_of_this_process();

// Kills and reaps until this process has no child; gives up after five seconds on what cannot be
// killed.
void kill_all_descendants() noexcept;

}  // namespace tessera::launcher
