// SPDX-License-Identifier: BSD-3-Clause
// The jobs of this user that run on this machine: RunningJob.
#pragma once
//
// Contract. A job is found by its segment, which mpiexec and the ranks have open, whoever started
// them. Nothing is asked of the job; processes of other users are passed over.
//
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/job/segment.h"

namespace tessera::launcher {

struct RunningJob {
  std::shared_ptr<JobSegment> segment;
  std::string command;  // of its first rank; empty: it has not started
};

// In the order of their processes' numbers.
std::vector<RunningJob> running_jobs();

// Whether `process` is the mpiexec of the job, what that was started by, or one of the ranks or
// what mpiexec started for it.
bool belongs_to(const RunningJob& job, pid_t process);

}  // namespace tessera::launcher
