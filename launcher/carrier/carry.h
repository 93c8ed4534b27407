// SPDX-License-Identifier: BSD-3-Clause
// mpiexec as a carrier: what an engine starts on each host of a job.
#pragma once

namespace tessera::launcher::carrier {

inline constexpr const char* kCarryOption = "--tessera-carrier";

// mpiexec --tessera-carrier ORDER. The exit status; `words` are those of the process.
int carry(const char* order, char** words);

}  // namespace tessera::launcher::carrier
