// SPDX-License-Identifier: BSD-3-Clause
// Which files a privileged process may obey.
#pragma once
//
// Contract. A process that runs with more rights than whoever started it (set-user-id,
// set-group-id, file capabilities: AT_SECURE of getauxval(3)) takes nothing from that user: neither
// environment nor home directory. Neither it nor a process of root loads components or reads
// parameters from files that others could have written: the file, and every directory above it,
// must belong to root, to the effective user or to the owner of the engine's own library (who could
// change that as well), and be writable by nobody else; a directory with the sticky bit may.
//
#include <string>

namespace tessera {

// The caller's environment must not be obeyed.
bool runs_for_somebody_else() noexcept;

// Why a file or directory must not be obeyed by this process; empty: it may, or is not there.
std::string distrust(const std::string& path);
// The same of an entry of a directory that has just been found to be trusted: where the entry is no
// link, the directories above need no second look.
std::string distrust_entry(const std::string& path);

}  // namespace tessera
