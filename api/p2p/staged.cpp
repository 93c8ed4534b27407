// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Request_stage: for bindings of languages whose arrays need not be contiguous.
#include "core/request/staged_request.h"

#include <new>

#include "api/arguments.h"
#include "api/p2p/generalized.h"
#include "api/p2p/requests.h"
#include "core/request/partitioned.h"
#include "core/rma/window_request.h"

#pragma GCC visibility push(default)
#include "mpix.h"
#pragma GCC visibility pop

using namespace tessera;
using namespace tessera::api;

namespace {

constexpr const char* kFunction = "MPIX_Request_stage";

// Whether more than the completion calls look at the request.
bool has_functions_of_its_own(const Request& request) noexcept {
  return is_generalized(request) || dynamic_cast<const PartitionedRequest*>(&request) != nullptr ||
         dynamic_cast<const WindowRequest*>(&request) != nullptr;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPIX_Request_stage)
extern "C" int PMPIX_Request_stage(MPI_Request* request, MPIX_Stage_function* stage_fn,
                                   MPIX_Stage_function* unstage_fn, MPIX_Stage_function* release_fn,
                                   void* state) {
  Request* operation = request != nullptr ? find_request(*request) : nullptr;
  if (operation == nullptr || has_functions_of_its_own(*operation)) {
    return raise(
        kFunction, MPI_ERR_REQUEST,
        "argument `request` is no request of a message, a collective operation or an access "
        "to a file");
  }
  if (operation->persistent() && operation->active()) {
    return raise(kFunction, MPI_ERR_REQUEST,
                 "argument `request` is active; a persistent request is staged before it starts");
  }
  if (stage_fn == nullptr) return raise(kFunction, MPI_ERR_ARG, null_pointer("stage_fn"));
  if (unstage_fn == nullptr) return raise(kFunction, MPI_ERR_ARG, null_pointer("unstage_fn"));
  if (release_fn == nullptr) return raise(kFunction, MPI_ERR_ARG, null_pointer("release_fn"));
  EngineGuard guard(world.engine->progress());
  Request* staged =
      new (std::nothrow) StagedRequest(*operation, {stage_fn, unstage_fn, release_fn, state});
  if (staged == nullptr) return raise(kFunction, Status(Errc::no_memory));
  *request = handle_of(*staged);
  return MPI_SUCCESS;
}
