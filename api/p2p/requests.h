// SPDX-License-Identifier: BSD-3-Clause
// Requests as the completion calls see them.
#pragma once

#include "api/env/world.h"
#include "api/handle.h"
#include "api/p2p/status.h"

namespace tessera::api {

inline Request* find_request(MPI_Request handle) noexcept {
  return find_object<Request, ObjectKind::request>(handle);
}

// A request that a completion call has to look at: neither null nor an inactive persistent one.
inline bool pending(const Request* request) noexcept {
  return request != nullptr && request->active();
}

// Waits for one operation, in `function`.
void await(const char* function, const Request& operation) noexcept;

// Lets the program fill in the status of a generalized request; its error code as a failure.
Status ask_program(Request& request, MPI_Status* status) noexcept;

// The outcome of an operation that has ended: the status for the user, and the error if it failed.
inline Status outcome(Request& request, MPI_Status* status) noexcept {
  set_status(status, request.status());
  if (request.owner() == nullptr)
      [[unlikely]]  // all but generalized requests belong to a communicator
    return ask_program(request, status);
  return request.status().error;
}

// Gives up the handle, whatever the state of the operation.
inline void give_up(Request& request, MPI_Request* handle) noexcept {
  Communicator* owner = request.owner();
  *handle = MPI_REQUEST_NULL;
  request.free();
  if (owner != world.comm_world && owner != nullptr) owner->release();
}

// The user's handle after the completion was reported: a persistent request becomes inactive,
// another one is freed.
inline void retire(Request& request, MPI_Request* handle) noexcept {
  if (request.persistent()) {
    request.deactivate();
  } else {
    give_up(request, handle);
  }
}

// Reports the failure of a request to its communicator; the error code.
int raise_for(const char* function, Request& request, Status failure) noexcept;

}  // namespace tessera::api
