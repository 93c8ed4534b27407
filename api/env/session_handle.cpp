// SPDX-License-Identifier: BSD-3-Clause
// Handles of sessions.
#include "api/env/session_handle.h"

#include <fmt/format.h>

#include "api/env/world.h"
#include "api/errors/errhandler_handle.h"

namespace tessera::api {

ErrorContext object_of(MPI_Session handle) {
  const Session* session = find_session(handle);
  if (session == nullptr) return no_object();
  return handled_by(session->errhandler(), handle,
                    fmt::format("session, rank {}", world.engine->world().rank()));
}

int raise_not_session(const char* function, MPI_Session handle) noexcept {
  return raise(
      function, MPI_ERR_SESSION,
      handle == MPI_SESSION_NULL
          ? std::string(
                "the session is MPI_SESSION_NULL; it must be one that MPI_Session_init returned")
          : fmt::format("argument `session` is no session: {}; it must be one that "
                        "MPI_Session_init returned",
                        why_none(handle, ObjectKind::session)));
}

Errhandler* right_errhandler(const char* function, const ErrorContext& object,
                             MPI_Errhandler handle, HandlerOf of, int& code) noexcept {
  Errhandler* handler = find_errhandler(handle);
  if (handler != nullptr && (handler->of() == HandlerOf::any || handler->of() == of))
    return handler;
  const char* maker =
      of == HandlerOf::session ? "MPI_Session_create_errhandler" : "MPI_Comm_create_errhandler";
  code = raise(
      function, object, MPI_ERR_ERRHANDLER,
      handler == nullptr
          ? fmt::format("argument `errhandler` is no error handler: {}; it must be a predefined "
                        "one or from "
                        "{}",
                        why_none(handle, ObjectKind::errhandler), maker)
          : fmt::format(
                "argument `errhandler` was made for another kind of object; {} makes the right "
                "ones",
                maker));
  return nullptr;
}

}  // namespace tessera::api
