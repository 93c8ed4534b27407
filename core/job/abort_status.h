// SPDX-License-Identifier: BSD-3-Clause
// The exit status of a job that MPI_Abort has ended: for the process itself and for mpiexec.
#pragma once

#include <cstdint>

namespace tessera {

// An exit status has eight bits, and that of an aborted job is never 0.
constexpr int abort_status(std::int32_t code) noexcept {
  return (code & 0xff) == 0 ? 1 : code & 0xff;
}

// The code of an abort whose cause is the death of another process: MPI_ERR_PROC_ABORTED.
inline constexpr std::int32_t kPeerDiedCode = 58;

}  // namespace tessera
