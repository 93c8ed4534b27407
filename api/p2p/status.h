// SPDX-License-Identifier: BSD-3-Clause
// What the library keeps in the private words of an MPI_Status.
#pragma once

#include <cstring>

#include "api/api.h"
#include "tessera/comm.h"

namespace tessera::api {

// Words 0 and 1: the number of bytes received. Word 2: whether the operation was cancelled.
inline void set_bytes(MPI_Status& status, std::uint64_t bytes) noexcept {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}
inline std::uint64_t bytes_of(const MPI_Status& status) noexcept {
  std::uint64_t bytes;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}
inline void set_cancelled(MPI_Status& status, bool cancelled) noexcept {
  status.MPI_internal[2] = cancelled;
}
inline bool is_cancelled(const MPI_Status& status) noexcept {
  return status.MPI_internal[2] != 0;
}

// MPI_ERROR stays as it is: only calls that complete several operations set it (MPI-5.0 §3.2.5).
inline void set_status(MPI_Status* status, const MessageStatus& message) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = message.source;
  status->MPI_TAG = message.tag;
  set_bytes(*status, message.bytes);
  set_cancelled(*status, message.cancelled);
}

// What is returned for operations that did not take place: the empty status, whose MPI_ERROR is set
// (MPI-5.0 §3.7.3).
inline void set_empty(MPI_Status* status) noexcept {
  set_status(status, MessageStatus{});
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}
inline void set_proc_null(MPI_Status* status) noexcept {
  set_status(status, MessageStatus{kProcNull, kAnyTag, 0, {}, false});
}

}  // namespace tessera::api
