// SPDX-License-Identifier: BSD-3-Clause
// What the library does once.
#pragma once

namespace tessera::fortran {

// Ends the job with one sentence when the program's special arguments (MPI_IN_PLACE, …) are not
// ours: the dynamic linker was told to keep them apart, and results would be silently wrong.
void check_sentinels();

}  // namespace tessera::fortran
