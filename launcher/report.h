// SPDX-License-Identifier: BSD-3-Clause
// The sentences in which mpiexec speaks of ranks.
#pragma once

#include <cstdint>
#include <string>

#include "core/job/segment.h"

namespace tessera::launcher {

// "rank 3 (pid 812 on vm)"
std::string name_rank(std::uint32_t rank, std::int32_t pid);
// The same in a job that was ordered: "rank 3 of job 2 (pid 812 on vm)".
std::string name_rank(std::uint32_t job, std::uint32_t rank, std::int32_t pid);

// How a process ended, from its wait status: "was killed by signal 11 (Segmentation fault)", "ended
// with exit status 3".
std::string describe_end(int wait_status);
// The same of a rank: "... while it opened FILE", where it was in a component's code.
std::string describe_end(int wait_status, const RankPage& page);

// The exit status that a shell would give: the process's own, or 128 + signal.
int exit_status_of(int wait_status) noexcept;

// Where a rank is: "running, in MPI_Recv (peer 1, tag 7, 800 bytes, MPI_COMM_WORLD) for 9.8 s".
std::string describe_place(const RankPage& page, std::int64_t now_ns);

}  // namespace tessera::launcher
