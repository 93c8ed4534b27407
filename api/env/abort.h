// SPDX-License-Identifier: BSD-3-Clause
// The end of a job by an error or by MPI_Abort.
#pragma once

#include <string_view>

namespace tessera::api {

// Prints `report` on standard error in one piece and ends all processes of the job. The exit status
// is the lowest eight bits of the code, or 1 where they are zero, so that it never looks like
// success.
[[noreturn]] void abort_job(int code, std::string_view report) noexcept;

}  // namespace tessera::api
