// SPDX-License-Identifier: BSD-3-Clause
// The exit status of a job that MPI_Abort has ended: for the process itself and for mpiexec.
#pragma once

#include <cstdint>

namespace tessera {

// An exit status has eight bits, and that of an aborted job is never 0.
constexpr int abort_status(std::int32_t code) noexcept {
  return (code & 0xff) == 0 ? 1 : code & 0xff;
}

}  // namespace tessera
