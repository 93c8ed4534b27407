// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests.
#include "api/p2p/generalized.h"

#include <new>
#include <string>

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

void GeneralizedRequest::complete_now() noexcept {
  finish();
  release();
}

void GeneralizedRequest::cancel() noexcept {
  if (cancel_ != nullptr) last_error_ = cancel_(extra_, complete() ? 1 : 0);
}

void GeneralizedRequest::free() noexcept {
  if (free_ != nullptr) last_error_ = free_(extra_);
  release();
}

bool is_generalized(const Request& request) noexcept {
  if (request.owner() != nullptr) [[likely]]
    return false;  // all others belong to a communicator
  return dynamic_cast<const GeneralizedRequest*>(&request) != nullptr;
}

Status query(Request& request, MPI_Status* status) noexcept {
  MPI_Status own{};
  MPI_Status* filled = status != MPI_STATUS_IGNORE ? status : &own;
  const int code = static_cast<GeneralizedRequest&>(request).query(filled);
  if (code == MPI_SUCCESS) return {};
  return Status::failure(Errc::internal, "the query function of a generalized request returned " +
                                             std::to_string(code));
}

}  // namespace tessera::api

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Grequest_start)
extern "C" int PMPI_Grequest_start(MPI_Grequest_query_function* query_fn,
                                   MPI_Grequest_free_function* free_fn,
                                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state,
                                   MPI_Request* request) {
  if (query_fn == nullptr)
    return raise("MPI_Grequest_start", MPI_ERR_ARG, null_pointer("query_fn"));
  if (request == nullptr) return raise("MPI_Grequest_start", MPI_ERR_ARG, null_pointer("request"));
  Request* made = new (std::nothrow) GeneralizedRequest(query_fn, free_fn, cancel_fn, extra_state);
  if (made == nullptr) return raise("MPI_Grequest_start", Status(Errc::no_memory));
  *request = handle_of<MPI_Request>(made);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Grequest_complete)
extern "C" int PMPI_Grequest_complete(MPI_Request request) {
  Request* operation = find_request(request);
  if (operation == nullptr || !is_generalized(*operation)) {
    return raise("MPI_Grequest_complete", MPI_ERR_REQUEST,
                 "argument `request` is no generalized request (MPI_Grequest_start makes them)");
  }
  EngineGuard guard(world.engine->progress());
  static_cast<GeneralizedRequest*>(operation)->complete_now();
  return MPI_SUCCESS;
}
