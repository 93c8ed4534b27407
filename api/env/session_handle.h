// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Session to Session, and the arguments of functions on sessions.
#pragma once

#include <string>

#include "api/errors/error.h"
#include "api/handle.h"
#include "core/engine/session.h"

namespace tessera::api {

inline Session* find_session(MPI_Session handle) noexcept {
  return find_object_always<Session, ObjectKind::session>(handle);
}

// Errors of a session; a handle that is none gives no_object().
ErrorContext object_of(MPI_Session handle);

// What a function does to which find_session() said no.
[[gnu::cold]] int raise_not_session(const char* function, MPI_Session handle) noexcept;

// MPI_ERRHANDLER_NULL, what is no handler, and one of another kind of object are wrong; null after
// the report at `object`.
Errhandler* right_errhandler(const char* function, const ErrorContext& object,
                             MPI_Errhandler handle, HandlerOf of, int& code) noexcept;

}  // namespace tessera::api
