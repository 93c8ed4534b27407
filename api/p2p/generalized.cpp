// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests.
#include "api/p2p/generalized.h"

#include <fmt/format.h>

#include <new>

#include "api/arguments.h"
#include "api/p2p/requests.h"

namespace tessera::api {

GeneralizedRequest::GeneralizedRequest(MPI_Grequest_query_function* query_function,
                                       MPI_Grequest_free_function* free_function,
                                       MPI_Grequest_cancel_function* cancel_function,
                                       void* extra) noexcept
    : query_(query_function), free_(free_function), cancel_(cancel_function), extra_(extra) {
  begin();
  retain();  // until MPI_Grequest_complete, which may come after the handle was freed
}

int GeneralizedRequest::ask_to_cancel() noexcept {
  return cancel_ != nullptr ? cancel_(extra_, complete() ? 1 : 0) : MPI_SUCCESS;
}

int GeneralizedRequest::complete_now() noexcept {
  finish();
  const int code = dropped_ && free_ != nullptr ? free_(extra_) : MPI_SUCCESS;
  release();
  return code;
}

int GeneralizedRequest::drop() noexcept {
  dropped_ = true;
  const int code = complete() && free_ != nullptr ? free_(extra_) : MPI_SUCCESS;
  release();
  return code;
}

bool is_generalized(const Request& request) noexcept {
  if (request.owner() != nullptr) [[likely]]
    return false;  // all others belong to a communicator
  return dynamic_cast<const GeneralizedRequest*>(&request) != nullptr;
}

namespace {

GeneralizedRequest& generalized(Request& request) noexcept {
  return static_cast<GeneralizedRequest&>(request);
}

int outcome_of(const char* callback, const char* function, int code) noexcept {
  if (code == MPI_SUCCESS) return code;
  return call_handler(function, no_object(), code,
                      fmt::format("the {} function of a generalized request failed", callback));
}

int ask(Request& request, MPI_Status* status) noexcept {
  MPI_Status own{};
  return generalized(request).query(status != MPI_STATUS_IGNORE ? status : &own);
}

}  // namespace

int query(const char* function, Request& request, MPI_Status* status) noexcept {
  return outcome_of("query", function, ask(request, status));
}

int drop(Request& request, MPI_Request* handle) noexcept {
  *handle = MPI_REQUEST_NULL;
  return outcome_of("free", "MPI_Request_free", generalized(request).drop());
}

int cancel(Request& request) noexcept {
  return outcome_of("cancel", "MPI_Cancel", generalized(request).ask_to_cancel());
}

int conclude_generalized(const char* function, Request& request, MPI_Request* handle,
                         MPI_Status* status) noexcept {
  const int queried = ask(request, status);
  *handle = MPI_REQUEST_NULL;
  const int freed = generalized(request).drop();
  return freed != MPI_SUCCESS ? outcome_of("free", function, freed)
                              : outcome_of("query", function, queried);
}

}  // namespace tessera::api

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Grequest_start)
extern "C" int PMPI_Grequest_start(MPI_Grequest_query_function* query_fn,
                                   MPI_Grequest_free_function* free_fn,
                                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state,
                                   MPI_Request* request) {
  if (world.over()) return raise_not_active("MPI_Grequest_start");
  if (query_fn == nullptr)
    return raise("MPI_Grequest_start", MPI_ERR_ARG, null_pointer("query_fn"));
  if (request == nullptr) return raise("MPI_Grequest_start", MPI_ERR_ARG, null_pointer("request"));
  Request* made = new (std::nothrow) GeneralizedRequest(query_fn, free_fn, cancel_fn, extra_state);
  if (made == nullptr) return raise("MPI_Grequest_start", Status(Errc::no_memory));
  *request = handle_of(*made);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Grequest_complete)
extern "C" int PMPI_Grequest_complete(MPI_Request request) {
  Request* operation = find_request(request);
  if (world.over()) return raise_not_active("MPI_Grequest_complete");
  if (operation == nullptr || !is_generalized(*operation)) {
    return raise("MPI_Grequest_complete", MPI_ERR_REQUEST,
                 "argument `request` is no generalized request (MPI_Grequest_start makes them)");
  }
  if (operation->complete()) {
    return raise("MPI_Grequest_complete", MPI_ERR_REQUEST,
                 "argument `request` is complete already; a request is completed once");
  }
  EngineGuard guard(world.engine->progress());
  return outcome_of("free", "MPI_Grequest_complete", generalized(*operation).complete_now());
}
