// SPDX-License-Identifier: BSD-3-Clause
// Requests as the completion calls see them.
#pragma once

#include "api/handle.h"
#include "api/status.h"
#include "api/world.h"

namespace tessera::api {

inline Request* find_request(MPI_Request handle) noexcept {
  return find_object<Request, ObjectKind::request>(handle);
}

// A request that a completion call has to look at: neither null nor an inactive persistent one.
inline bool pending(const Request* request) noexcept {
  return request != nullptr && request->active();
}

// The outcome of an operation that has ended: the status for the user, and the error if it failed.
Status outcome(Request& request, MPI_Status* status) noexcept;

// The user's handle after the completion was reported: a persistent request becomes inactive, another one is freed.
void retire(Request& request, MPI_Request* handle) noexcept;
// Gives up the handle, whatever the state of the operation.
void give_up(Request& request, MPI_Request* handle) noexcept;

// Reports the failure of a request to its communicator; the error code.
int raise_for(const char* function, Request& request, Status failure) noexcept;

}  // namespace tessera::api
