// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a running job do, in sentences; and where each thread of them is.
#pragma once
//
// Contract. The ranks are asked as mpiexec asks those of a job that hangs (wait_report.h): each
// rank that waits in MPI answers before it sleeps again, and goes on waiting; a rank that computes,
// is stopped, or waits in a loop of MPI_Test does not answer, and its own note of the call it is in
// stands for it. Nothing is changed in the job.
//
#include <string>

#include "core/job/segment.h"

namespace tessera::launcher {

// Some lines for each rank: where it is, for what it waits, and which messages are under way.
std::string describe_ranks(JobSegment& segment);

// The callers of each thread of each rank, by gdb(1), which stops a process for as long as it
// reads. Errc::not_found: there is no gdb on the search path.
Status print_stacks(const JobSegment& segment);

}  // namespace tessera::launcher
