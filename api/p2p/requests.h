// SPDX-License-Identifier: BSD-3-Clause
// Requests as the completion calls see them.
#pragma once

#include "api/env/world.h"
#include "api/p2p/request_handle.h"
#include "api/p2p/status.h"

namespace tessera::api {

// A request that a completion call has to look at: neither null nor an inactive persistent one.
inline bool pending(const Request* request) noexcept {
  return request != nullptr && request->active();
}

// What a call returns that has looked, under the engine's lock, and found nothing.
inline int not_yet() noexcept {
  world.engine->progress().not_yet();
  return MPI_SUCCESS;
}

// Waits for one operation, in `function`.
void await(const char* function, const Request& operation) noexcept;

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

// Reports the failure of an operation that has ended, and retires its request.
[[gnu::cold]] int conclude_failed(const char* function, Request& request,
                                  MPI_Request* handle) noexcept;
// The program says what became of its own operation (MPI-5.0 §13.2).
[[gnu::cold]] int conclude_generalized(const char* function, Request& request, MPI_Request* handle,
                                       MPI_Status* status) noexcept;

// What a completion call does about an operation that has ended: fills in the status, retires the
// request, and reports a failure to the communicator. The error code.
inline int conclude(const char* function, Request& request, MPI_Request* handle,
                    MPI_Status* status) noexcept {
  set_status(status, request.status());
  if (request.owner() == nullptr)
      [[unlikely]]  // all but generalized requests belong to a communicator
    return conclude_generalized(function, request, handle, status);
  if (!request.status().error.ok()) [[unlikely]]
    return conclude_failed(function, request, handle);
  retire(request, handle);
  return MPI_SUCCESS;
}

// The same without retiring the request (MPI_Request_get_status).
int look_at(const char* function, Request& request, MPI_Status* status) noexcept;

}  // namespace tessera::api
