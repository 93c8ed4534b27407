// SPDX-License-Identifier: BSD-3-Clause
// Where each thread of the ranks is.
#pragma once

#include "core/job/segment.h"

namespace tessera::launcher {

// The callers of each thread of each rank, by gdb(1), which stops a process for as long as it
// reads. Errc::not_found: there is no gdb on the search path.
Status print_stacks(const JobSegment& segment);

}  // namespace tessera::launcher
