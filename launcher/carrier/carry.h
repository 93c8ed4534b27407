// SPDX-License-Identifier: BSD-3-Clause
// The job of tessera-carrier: what an engine starts on each host of a job.
#pragma once

namespace tessera::launcher::carrier {

// The exit status; `words` are those of the process.
int carry(const char* order, char** words);

}  // namespace tessera::launcher::carrier
